// run_broker: builds one broker out of its options, serves until it is asked to stop, and takes it
// down again.
#pragma once

#include <string>

#include "app/options.h"
#include "base/log.h"
#include "base/result.h"
#include "rt/asio/loop.h"

namespace weir::app {

/// Serves until SIGTERM or SIGINT, drains, and gives the exit status. Prints the ready line on
/// standard output when the listeners accept. Errors are what prevented the start; the caller
/// prints them. `loop` belongs to the calling thread; it and `logger` outlive the call.
Result<int> run_broker(rt::asio::AsioLoop& loop, const BrokerOptions& options,
                       const std::string& version, Logger& logger);

}  // namespace weir::app
