// Console: standard input, output and error of a command, real or a test's.
//
// Nothing else in `cli` touches the process's streams. A reader that goes away (`| head`) is not an
// error worth a message: `out` answers `closed` and the command ends quietly.
#pragma once

#include <string_view>

#include "base/bytes.h"
#include "base/result.h"
#include "rt/task.h"

namespace weir::cli {

class Console {
 public:
  virtual ~Console() = default;
  /// May keep the text until `flush`. Errors: closed (nobody reads any more), out_of_space.
  virtual Result<void> out(std::string_view text) = 0;
  virtual Result<void> flush() = 0;
  /// Whether a write has found that nobody reads any more.
  virtual bool is_closed() const = 0;
  /// Whether Ctrl-C has ended the input, which asks a command that drains to come to its end.
  virtual bool is_interrupted() const = 0;
  /// At once.
  virtual void err(std::string_view text) = 0;
  /// Reads 1 … into.size() bytes of standard input; 0 = its end. Errors: cancelled (Ctrl-C),
  /// invalid_argument. Waits without a deadline: it is a person's or a pipe's turn.
  virtual rt::Task<Result<std::size_t>> read_some(MutableBytes into) = 0;
};

/// Status of the process, part of the contract.
enum class ExitStatus : int {
  success = 0,
  /// The cluster or the environment did not do what was asked.
  failed = 1,
  /// The command line or a file of options is wrong.
  usage = 2,
};

}  // namespace weir::cli
