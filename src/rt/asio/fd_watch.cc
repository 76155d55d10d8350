#include "rt/asio/fd_watch.h"

#include <boost/asio/posix/stream_descriptor.hpp>
#include <utility>

#include "rt/asio/loop_impl.h"

namespace weir::rt::asio {

using boost::asio::posix::stream_descriptor;

struct FdWatch::State : std::enable_shared_from_this<FdWatch::State> {
  State(AsioLoop& loop, Listener& to) : descriptor(loop.impl().context), listener(&to) {}

  void arm() {
    if (!listener) return;
    if (interest.reading && !std::exchange(reading_armed, true))
      wait(stream_descriptor::wait_read, reading_armed);
    if (interest.writing && !std::exchange(writing_armed, true))
      wait(stream_descriptor::wait_write, writing_armed);
  }

  void wait(stream_descriptor::wait_type type, bool& armed) {
    descriptor.async_wait(
        type, [self = shared_from_this(), type, &armed](const boost::system::error_code&) {
          armed = false;
          self->tell(type == stream_descriptor::wait_read);
          self->arm();
        });
  }

  void tell(bool reading) {
    // Interest may have ended since the wait began.
    if (!listener || !(reading ? interest.reading : interest.writing)) return;
    listener->on_ready(fd, reading, !reading);
  }

  stream_descriptor descriptor;
  Listener* listener;
  int fd = -1;
  Interest interest;
  bool reading_armed = false;
  bool writing_armed = false;
};

Result<std::unique_ptr<FdWatch>> FdWatch::make(AsioLoop& loop, int fd, Listener& listener) {
  auto state = std::make_shared<State>(loop, listener);
  boost::system::error_code error;
  state->descriptor.assign(fd, error);
  if (error) return fail(ErrorCode::unavailable, "watch a descriptor: " + error.message());
  state->fd = fd;
  return std::unique_ptr<FdWatch>(new FdWatch(std::move(state)));
}

FdWatch::~FdWatch() {
  state_->listener = nullptr;
  // Ends the waits; the descriptor stays its owner's.
  state_->descriptor.release();
}

void FdWatch::want(Interest interest) {
  state_->interest = interest;
  state_->arm();
}

}  // namespace weir::rt::asio
