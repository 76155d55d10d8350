// `weir cost`: the monthly bill of a load, or of what a running broker asks its store.
//
// It needs neither a cluster nor a bucket; with --admin it reads a broker's counters twice, through
// the HTTP client that it is given.
#pragma once

#include "cli/console.h"
#include "cli/cost_model.h"
#include "cli/settings.h"
#include "http/client.h"

namespace weir::cli {

const CommandSpec& cost_command();

/// All of it outlives the command's task.
struct CostSession {
  const Settings& settings;
  Console& console;
  /// Its loop is the one that the task runs on.
  http::Client& client;
};
rt::Task<ExitStatus> run_cost(CostSession& session);

}  // namespace weir::cli
