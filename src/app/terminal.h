// Terminal: the process's own standard streams as a Console.
//
// Output gathers in a buffer. Input is read on a worker thread, because it blocks; `interrupt` ends
// a read within a moment, so Ctrl-C works while a person is typing or a pipe is silent.
#pragma once

#include <atomic>
#include <string>

#include "cli/console.h"
#include "rt/loop.h"
#include "rt/workers.h"

namespace weir::app {

class Terminal final : public cli::Console {
 public:
  /// `loop` is the one that reads wait on. SIGPIPE must be ignored.
  Terminal(rt::Loop& loop, rt::Workers& workers) : loop_(loop), workers_(workers) {}

  Result<void> out(std::string_view text) override;
  Result<void> flush() override;
  bool is_closed() const override { return closed_; }
  bool is_interrupted() const override { return interrupted_.load(); }
  void err(std::string_view text) override;
  rt::Task<Result<std::size_t>> read_some(MutableBytes into) override;

  /// Writes out what is pending, at the end of a command: its status, or failed if that cannot be
  /// written and somebody is still there to read it.
  cli::ExitStatus finish(cli::ExitStatus status);
  /// Ends a running read and all later ones with `cancelled`.
  void interrupt() { interrupted_.store(true); }

 private:
  Result<std::size_t> read_blocking(MutableBytes into);

  rt::Loop& loop_;
  rt::Workers& workers_;
  std::string pending_;
  bool closed_ = false;
  std::atomic<bool> interrupted_{false};
};

}  // namespace weir::app
