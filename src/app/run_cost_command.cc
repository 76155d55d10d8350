#include "app/run_cost_command.h"

#include "app/terminal.h"
#include "cli/cost_command.h"
#include "http/curl/curl_client.h"
#include "rt/asio/loop.h"
#include "rt/asio/workers.h"

namespace weir::app {
namespace {

rt::Task<cli::ExitStatus> run_on(http::curl::CurlClient& client, cli::CostSession& session) {
  cli::ExitStatus status = co_await cli::run_cost(session);
  co_await client.stop();
  co_return status;
}

}  // namespace

cli::ExitStatus run_cost_command(const cli::Settings& settings) {
  rt::asio::AsioLoop loop;
  rt::asio::ThreadWorkers workers("input", 1);
  Terminal terminal(loop, workers);
  http::curl::CurlClient client(loop, {});
  cli::CostSession session{.settings = settings, .console = terminal, .client = client};
  cli::ExitStatus status = rt::asio::block_on(loop, run_on(client, session));
  return terminal.finish(status);
}

}  // namespace weir::app
