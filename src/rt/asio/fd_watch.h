// FdWatch: readiness of a descriptor that a library owns, reported to that library's adapter.
//
// Our own sockets are Descriptors. This is for libraries that open and close sockets themselves and
// only want to be told when to try (libcurl). The descriptor must stay open for as long as the
// watch lives; the watch never closes it. Used on the loop's own thread.
#pragma once

#include <memory>

#include "base/result.h"
#include "rt/asio/loop.h"

namespace weir::rt::asio {

class FdWatch {
 public:
  class Listener {
   public:
    virtual ~Listener() = default;
    /// Called from the loop, never from within `want`. May change or destroy the watch. An error
    /// condition of the descriptor is reported as readiness, so that the next system call finds it.
    virtual void on_ready(int fd, bool readable, bool writable) = 0;
  };

  /// Error unavailable if the kernel refuses to watch it. The listener outlives the watch.
  static Result<std::unique_ptr<FdWatch>> make(AsioLoop& loop, int fd, Listener& listener);
  ~FdWatch();
  FdWatch(const FdWatch&) = delete;
  FdWatch& operator=(const FdWatch&) = delete;

  /// What to report from now on, again and again while it holds.
  struct Interest {
    bool reading = false;
    bool writing = false;
  };
  void want(Interest interest);

 private:
  struct State;
  explicit FdWatch(std::shared_ptr<State> state) : state_(std::move(state)) {}

  /// Shared with the waits in flight, which asio ends only after the watch is gone.
  std::shared_ptr<State> state_;
};

}  // namespace weir::rt::asio
