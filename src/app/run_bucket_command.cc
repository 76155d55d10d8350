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

}  // namespace

// No signal is caught: the command writes nothing, so Ctrl-C may simply end the process.
cli::ExitStatus run_bucket_command(const cli::BucketCommand& command, const cli::Settings& settings,
                                   const std::vector<std::string>& names) {
  rt::asio::AsioLoop loop;
  rt::asio::ThreadWorkers workers("files", kFileThreads);
  rt::asio::PosixFileSystem files;
  rt::asio::SystemRandom random;
  StderrLogger logger(loop, LogLevel::error);
  Terminal terminal(loop, workers);
  std::optional<std::string> log_url;
  if (settings.has("log")) log_url = settings.text("log");
  auto storage = Storage::open_existing({loop, workers, files, random, logger},
                                        settings.text("store"), log_url);
  if (!storage) {
    terminal.err("weir " + std::string(command.spec.path) + ": " + storage.error().message + "\n");
    return storage.error().is(ErrorCode::invalid_argument) ? cli::ExitStatus::usage
                                                           : cli::ExitStatus::failed;
  }
  cli::BucketSession session{.settings = settings,
                             .names = names,
                             .console = terminal,
                             .loop = loop,
                             .store = (*storage)->store(),
                             .log = (*storage)->has_log() ? &(*storage)->log() : nullptr};
  cli::ExitStatus status = rt::asio::block_on(loop, command.run(session));
  Result<void> flushed = terminal.flush();
  if (!flushed && !terminal.is_closed()) {
    terminal.err("weir: " + flushed.error().message + "\n");
    return cli::ExitStatus::failed;
  }
  return status;
}

}  // namespace weir::app
