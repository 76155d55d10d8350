#include "app/standard_descriptors.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace weir::app {

bool open_closed_descriptors(std::span<const int> descriptors) {
  for (const int wanted : descriptors) {
    if (::fcntl(wanted, F_GETFD) != -1 || errno != EBADF) continue;
    const int null = ::open("/dev/null", O_RDWR);
    if (null < 0) return false;
    if (null == wanted) continue;
    const bool moved = ::dup2(null, wanted) == wanted;
    ::close(null);
    if (!moved) return false;
  }
  return true;
}

}  // namespace weir::app
