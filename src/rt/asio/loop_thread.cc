#include "rt/asio/loop_thread.h"

#include <latch>
#include <utility>

#include "rt/asio/thread_name.h"

namespace weir::rt::asio {

LoopThread::LoopThread(std::string name) {
  std::latch adopted(1);
  thread_ = std::thread([this, &adopted, name = std::move(name)] {
    name_this_thread(name);
    loop_.adopt();
    adopted.count_down();
    loop_.run();
  });
  adopted.wait();
}

LoopThread::~LoopThread() {
  loop_.stop();
  thread_.join();
}

}  // namespace weir::rt::asio
