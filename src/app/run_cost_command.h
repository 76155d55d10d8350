// Runs `weir cost` in this process.
#pragma once

#include "cli/console.h"
#include "cli/settings.h"

namespace weir::app {

/// Blocks until it has ended.
cli::ExitStatus run_cost_command(const cli::Settings& settings);

}  // namespace weir::app
