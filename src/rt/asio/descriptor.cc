#include "rt/asio/descriptor.h"

#include <unistd.h>

#include "rt/asio/loop_impl.h"

namespace weir::rt::asio {

using boost::asio::posix::stream_descriptor;

Descriptor::Descriptor(AsioLoop& loop) : descriptor_(loop.impl().context) {}

Result<void> Descriptor::adopt(int fd) {
  boost::system::error_code error;
  descriptor_.assign(fd, error);
  if (!error) return {};
  ::close(fd);
  return fail(ErrorCode::unavailable, "watch socket: " + error.message());
}

void Descriptor::close() {
  boost::system::error_code ignored;  // the descriptor is gone in any case
  descriptor_.close(ignored);
}

void Descriptor::arm(For direction, Readiness& side, std::shared_ptr<void> keep) {
  if (side.armed) return;
  side.armed = true;
  descriptor_.async_wait(
      direction == For::reading ? stream_descriptor::wait_read : stream_descriptor::wait_write,
      [&side, keep = std::move(keep)](const boost::system::error_code&) {
        side.armed = false;
        side.event.notify_all();
      });
}

}  // namespace weir::rt::asio
