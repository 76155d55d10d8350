// Descriptor: a non-blocking socket whose readiness coroutines of one loop wait for.
//
// Asio is asked for readiness only, never for the transfer itself: so asio holds no memory of
// callers, and a coroutine that is destroyed while it waits leaves nothing behind but a
// notification that nobody hears.
#pragma once

#include <boost/asio/posix/stream_descriptor.hpp>
#include <memory>

#include "base/result.h"
#include "rt/asio/loop.h"
#include "rt/event.h"

namespace weir::rt::asio {

/// One direction of waiting. Several may share an Event.
struct Readiness {
  Event& event;
  bool armed = false;
};

class Descriptor {
 public:
  explicit Descriptor(AsioLoop& loop);
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close(); }

  /// Takes `fd` over, also in failure (then it is closed).
  Result<void> adopt(int fd);
  bool is_open() const { return descriptor_.is_open(); }
  int fd() { return descriptor_.native_handle(); }
  /// The Readiness must have been notified or must be notified by the caller.
  void close();

  enum class For : unsigned char { reading, writing };
  /// Notifies `side` at the next readiness, or when this closes. `keep` owns `side` and this. Does
  /// nothing while armed.
  void arm(For direction, Readiness& side, std::shared_ptr<void> keep);

 private:
  boost::asio::posix::stream_descriptor descriptor_;
};

}  // namespace weir::rt::asio
