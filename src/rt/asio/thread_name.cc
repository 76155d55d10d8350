#include "rt/asio/thread_name.h"

#include <pthread.h>

namespace weir::rt::asio {

void name_this_thread(const std::string& name) {
  pthread_setname_np(pthread_self(), name.substr(0, 15).c_str());
}

}  // namespace weir::rt::asio
