// SystemSignals: SIGTERM and SIGINT as something that a coroutine waits for.
//
// While one exists, these signals no longer end the process. At most one per process.
#pragma once

#include <memory>

#include "rt/asio/loop.h"
#include "rt/task.h"

namespace weir::rt::asio {

class SystemSignals {
 public:
  explicit SystemSignals(AsioLoop& loop);
  ~SystemSignals();
  SystemSignals(const SystemSignals&) = delete;
  SystemSignals& operator=(const SystemSignals&) = delete;

  /// The number of the next signal; 0 after `stop`. Waits without a deadline: it is what a process
  /// does until somebody ends it.
  Task<int> wait();
  void stop();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace weir::rt::asio
