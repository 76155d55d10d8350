// From the words of a command line to settings: reads the files that the options name.
#pragma once

#include <span>
#include <string>

#include "base/result.h"
#include "cli/arguments.h"
#include "cli/settings.h"

namespace weir::app {

struct ProcessInputs {
  cli::Environment environment;
  /// Where `.env` and relative paths are looked up; "" = the working directory.
  std::string directory;
};

/// Errors: invalid_argument, configuration (a file that cannot be read).
Result<cli::Settings> load_settings(const cli::CommandSpec& command,
                                    const cli::Arguments& arguments, const ProcessInputs& inputs);

/// The environment with what `.env` adds to it. Errors: as above.
Result<cli::Environment> whole_environment(const ProcessInputs& inputs);

/// The contents of a small file (at most 1 MiB). Errors: not_found, configuration, too_large.
Result<std::string> read_small_file(const std::string& path);

}  // namespace weir::app
