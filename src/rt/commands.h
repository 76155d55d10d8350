// Commands: running another program for what it prints.
//
// For helpers that people configure (credential_process). The call blocks: inside run_blocking.
#pragma once

#include <string>

#include "base/result.h"
#include "base/time.h"

namespace weir::rt {

class Commands {
 public:
  virtual ~Commands() = default;
  struct Bounds {
    Duration timeout;
    std::size_t output_bytes_max;
  };
  /// Runs a line of shell with no input and gives back its standard output; what it writes to
  /// standard error is dropped. Errors: configuration (cannot be started, ended with a status other
  /// than 0), timed_out (it was killed), too_large. Messages do not repeat output or line.
  virtual Result<std::string> run(const std::string& line, Bounds bounds) = 0;
};

}  // namespace weir::rt
