// Runs a command that works on a bucket directly: opens the store and the log that its URLs name,
// and the real console.
#pragma once

#include <string>
#include <vector>

#include "cli/bucket_session.h"

namespace weir::app {

cli::ExitStatus run_bucket_command(const cli::BucketCommand& command, const cli::Settings& settings,
                                   const std::vector<std::string>& names);

}  // namespace weir::app
