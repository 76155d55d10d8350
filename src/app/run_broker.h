// run_broker: `weir broker`. Wires every part and runs until SIGTERM or SIGINT.
#pragma once

#include <string>

#include "app/options.h"
#include "base/log.h"
#include "base/result.h"
#include "rt/asio/loop.h"

namespace weir::app {

/// Prints the ready line on stdout once the listeners accept. `loop` is the state's loop and runs
/// on the calling thread. Returns the exit status after an orderly stop; errors say why the broker
/// could not start or go on.
Result<int> run_broker(rt::asio::AsioLoop& loop, const BrokerOptions& options,
                       const std::string& version, Logger& logger);

}  // namespace weir::app
