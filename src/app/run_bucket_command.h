// Runs a command that works on a bucket directly: opens the store and the log that its URLs name,
// and the real console.
#pragma once

#include <string>
#include <vector>

#include "cli/bucket_session.h"

namespace weir::app {

struct BucketInputs {
  const std::vector<std::string>& names;
  /// Of the process: who we are to a store is often told there.
  const cli::Environment& environment;
};
cli::ExitStatus run_bucket_command(const cli::BucketCommand& command, const cli::Settings& settings,
                                   const BucketInputs& inputs);

}  // namespace weir::app
