#include "app/run_bucket_command.h"

#include "app/stderr_logger.h"
#include "app/storage.h"
#include "app/terminal.h"
#include "rt/asio/file_system.h"
#include "rt/asio/loop.h"
#include "rt/asio/random.h"
#include "rt/asio/workers.h"

namespace weir::app {
namespace {

constexpr std::size_t kFileThreads = 2;
/// For a remote store to say that it may be used.
constexpr Duration kReachMax = 10s;

cli::ExitStatus fail(Terminal& terminal, const cli::BucketCommand& command, const Error& error) {
  terminal.err("weir " + std::string(command.spec.path) + ": " + error.message + "\n");
  return error.is(ErrorCode::invalid_argument) ? cli::ExitStatus::usage : cli::ExitStatus::failed;
}

rt::Task<Result<cli::ExitStatus>> run_on(rt::Loop& loop, Storage& storage,
                                         const cli::BucketCommand& command,
                                         cli::BucketSession& session) {
  Result<void> started = co_await storage.start(loop.now() + kReachMax);
  Result<cli::ExitStatus> status = cli::ExitStatus::failed;
  if (started) status = co_await command.run(session);
  co_await storage.stop();
  if (!started) co_return std::unexpected(started.error());
  co_return status;
}

}  // namespace

// No signal is caught: the command writes nothing, so Ctrl-C may simply end the process.
cli::ExitStatus run_bucket_command(const cli::BucketCommand& command, const cli::Settings& settings,
                                   const BucketInputs& inputs) {
  rt::asio::AsioLoop loop;
  rt::asio::ThreadWorkers workers("files", kFileThreads);
  rt::asio::PosixFileSystem files;
  rt::asio::SystemRandom random;
  StderrLogger logger(loop, LogLevel::error);
  Terminal terminal(loop, workers);
  std::optional<std::string> log_url;
  if (settings.has("log")) log_url = settings.text("log");
  Metrics metrics;
  auto storage =
      Storage::open_existing({loop, workers, files, random, metrics, logger, inputs.environment},
                             settings.text("store"), log_url);
  if (!storage) return fail(terminal, command, storage.error());
  cli::BucketSession session{.settings = settings,
                             .names = inputs.names,
                             .console = terminal,
                             .loop = loop,
                             .store = (*storage)->store(),
                             .log = (*storage)->has_log() ? &(*storage)->log() : nullptr};
  Result<cli::ExitStatus> status =
      rt::asio::block_on(loop, run_on(loop, **storage, command, session));
  if (!status) return fail(terminal, command, status.error());
  return terminal.finish(*status);
}

}  // namespace weir::app
