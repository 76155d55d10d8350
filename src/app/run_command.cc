#include "app/run_command.h"

#include <cstdlib>
#include <functional>

#include "app/terminal.h"
#include "rt/asio/loop.h"
#include "rt/asio/network.h"
#include "rt/asio/random.h"
#include "rt/asio/signals.h"
#include "rt/asio/workers.h"

namespace weir::app {
namespace {

constexpr std::size_t kResolverThreads = 2;

struct Running {
  cli::Session& session;
  Terminal& terminal;
  rt::asio::SystemSignals& signals;
  bool drains = false;
};

/// The first signal ends the input of a command that drains; the next one ends the command in
/// order, and one more ends it at once, for a connect to a silent host takes its time.
rt::Task<void> watch_signals(Running& running) {
  bool drains = running.drains;
  while (co_await running.signals.wait() != 0) {
    running.terminal.interrupt();
    if (running.session.cluster.is_shut()) std::_Exit(static_cast<int>(cli::ExitStatus::failed));
    if (!drains) running.session.cluster.shut();
    drains = false;
  }
}

rt::Task<cli::ExitStatus> run(Running& running, rt::Task<cli::ExitStatus> command) {
  rt::Scope scope(running.session.cluster.loop());
  scope.spawn(watch_signals(running));
  cli::ExitStatus status = co_await std::move(command);
  running.signals.stop();
  co_await running.session.cluster.close();
  co_await scope.join();
  co_return status;
}

/// What both kinds of commands are, to this file.
struct Invoked {
  const cli::CommandSpec& spec;
  bool drains = false;
  std::function<rt::Task<cli::ExitStatus>(cli::Session&, rt::Network&)> run;
};

cli::ExitStatus run_invoked(const Invoked& command, const cli::Settings& settings,
                            const std::vector<std::string>& names) {
  rt::asio::AsioLoop loop;
  rt::asio::ThreadWorkers resolvers("resolver", kResolverThreads);
  rt::asio::ThreadWorkers input("input", 1);
  rt::asio::AsioNetwork network(resolvers);
  rt::asio::SystemRandom random;
  Terminal terminal(loop, input);
  Result<client::ClusterOptions> options = cli::cluster_of(settings);
  if (!options) {
    terminal.err("weir " + std::string(command.spec.path) + ": " + options.error().message + "\n");
    return cli::ExitStatus::usage;
  }
  client::Cluster cluster(loop, network, random, std::move(*options));
  cli::Session session{.settings = settings,
                       .names = names,
                       .console = terminal,
                       .cluster = cluster,
                       .random = random};
  rt::asio::SystemSignals signals(loop);
  Running running{session, terminal, signals, command.drains};
  cli::ExitStatus status = rt::asio::block_on(loop, run(running, command.run(session, network)));
  return terminal.finish(status);
}

}  // namespace

cli::ExitStatus run_command(const cli::Command& command, const cli::Settings& settings,
                            const std::vector<std::string>& names) {
  auto run = [&command](cli::Session& session, rt::Network&) { return command.run(session); };
  return run_invoked({command.spec, command.drains, run}, settings, names);
}

cli::ExitStatus run_perf_command(const cli::PerfCommand& command, const cli::Settings& settings,
                                 const std::vector<std::string>& names) {
  return run_invoked({command.spec, false, command.run}, settings, names);
}

}  // namespace weir::app
