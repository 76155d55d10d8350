// run_broker: builds one broker out of its options, serves until it is asked to stop, and takes it
// down again.
#pragma once

#include <string>

#include "app/options.h"
#include "base/log.h"
#include "base/result.h"
#include "cli/settings.h"
#include "rt/asio/loop.h"

namespace weir::app {

/// Serves until SIGTERM or SIGINT, drains, and gives the exit status. Prints the ready line on
/// standard output when the listeners accept. Errors are what prevented the start; the caller
/// prints them. `loop` belongs to the calling thread; it and all else outlive the call.
struct BrokerInputs {
  const BrokerOptions& options;
  const std::string& version;
  /// Of the process: who we are to a store is often told there.
  const cli::Environment& environment;
};
Result<int> run_broker(rt::asio::AsioLoop& loop, const BrokerInputs& inputs, Logger& logger);

}  // namespace weir::app
