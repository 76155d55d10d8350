// run_command: a command that talks to a cluster, in the real world.
#pragma once

#include "cli/perf_commands.h"
#include "cli/session.h"

namespace weir::app {

/// Makes loop, network and cluster, runs the command to its end, and takes them down again. Ctrl-C
/// ends it in order; see cli::Command.
cli::ExitStatus run_command(const cli::Command& command, const cli::Settings& settings,
                            const std::vector<std::string>& names);

/// The same for a command that measures a cluster.
cli::ExitStatus run_perf_command(const cli::PerfCommand& command, const cli::Settings& settings,
                                 const std::vector<std::string>& names);

}  // namespace weir::app
