// `weir perf …`: loads a cluster and measures it; the load itself is in `perf`.
#pragma once

#include "cli/session.h"
#include "perf/end_to_end.h"
#include "perf/load.h"

namespace weir::cli {

/// A subcommand that opens connections of its own, beside those of the session's cluster. What it
/// is handed outlives its task.
struct PerfCommand {
  CommandSpec spec;
  rt::Task<ExitStatus> (*run)(Session& session, rt::Network& network) = nullptr;
};

/// All of them, in the order of --help.
std::vector<PerfCommand> perf_commands();

rt::Task<ExitStatus> perf_produce(Session& session, rt::Network& network);
rt::Task<ExitStatus> perf_consume(Session& session, rt::Network& network);
rt::Task<ExitStatus> perf_e2e(Session& session, rt::Network& network);
rt::Task<ExitStatus> perf_connect(Session& session, rt::Network& network);

/// From the options of `weir perf produce` and `weir perf e2e`. Errors: invalid_argument,
/// unsupported.
Result<perf::ProduceOptions> perf_produce_options(const Session& session);
/// --bytes and --duration; without either `fallback`. Errors: invalid_argument.
Result<perf::Amount> perf_amount(const Settings& settings, std::optional<Duration> fallback);
/// --timeout; a day for `forever`.
Duration perf_timeout(const Settings& settings);

/// What is printed of a run. `what` is the subcommand.
struct PerfReport {
  std::string_view what;
  /// "records", "connections".
  std::string_view unit = "records";
  const perf::Outcome& outcome;
  /// End to end: of the acknowledgements.
  const perf::Outcome* produced = nullptr;
};
Result<void> print_perf(Session& session, const PerfReport& report);

}  // namespace weir::cli
