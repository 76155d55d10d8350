// LoopThread: an AsioLoop with a thread of its own, for lanes and for the state.
#pragma once

#include <string>
#include <thread>

#include "rt/asio/loop.h"

namespace weir::rt::asio {

class LoopThread {
 public:
  /// Starts the thread; when the constructor returns, the loop belongs to it. `name` shows in
  /// debuggers (15 characters at most).
  explicit LoopThread(std::string name);
  /// Stops the loop and joins the thread. The tasks of the loop have ended by then.
  ~LoopThread();
  LoopThread(const LoopThread&) = delete;
  LoopThread& operator=(const LoopThread&) = delete;

  AsioLoop& loop() { return loop_; }

 private:
  AsioLoop loop_;
  std::thread thread_;
};

}  // namespace weir::rt::asio
