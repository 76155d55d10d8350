// weir: the program. It reads what it is told, and does one of five things.
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "app/options.h"
#include "app/program.h"
#include "app/run_broker.h"
#include "app/run_bucket_command.h"
#include "app/run_command.h"
#include "app/run_cost_command.h"
#include "app/standard_descriptors.h"
#include "app/stderr_logger.h"
#include "base/version.h"
#include "rt/asio/loop.h"

extern "C" {
/// Settings of jemalloc, which reads this name before `main`. Record batches live in buffers of
/// 64 KiB to several MiB that one thread makes and another frees: freed pages are kept for ten
/// seconds and handed out again, where glibc would fetch fresh ones from the kernel, at a page
/// fault per 4 KiB of records (docs/adr/0008). One arena, because what one keeps no other can use.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): jemalloc's interface.
const char* malloc_conf = "narenas:1,dirty_decay_ms:10000,muzzy_decay_ms:0,background_thread:true";
}

namespace weir::app {
namespace {

ProcessInputs process_inputs() {
  ProcessInputs inputs;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    std::string_view text = *variable;
    std::size_t equals = text.find('=');
    if (equals != std::string_view::npos)
      inputs.environment.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return inputs;
}

int fail_start(const char* who, const Error& error) {
  std::string text = std::string(who) + ": " + error.message + "\n";
  std::fwrite(text.data(), 1, text.size(), stderr);
  bool usage = error.is(ErrorCode::invalid_argument);
  return static_cast<int>(usage ? cli::ExitStatus::usage : cli::ExitStatus::failed);
}

int print(const Invocation& invocation) {
  bool good = invocation.status == cli::ExitStatus::success;
  std::FILE* stream = good ? stdout : stderr;
  const std::size_t written =
      std::fwrite(invocation.text.data(), 1, invocation.text.size(), stream);
  const bool flushed = std::fflush(stream) == 0;
  // A reader that has gone (`| head`) had what it wanted.
  if ((written == invocation.text.size() && flushed) || errno == EPIPE)
    return static_cast<int>(invocation.status);
  return fail_start("weir", {ErrorCode::out_of_space,
                             std::string("cannot write the output: ") + std::strerror(errno)});
}

int serve(const cli::Settings& settings, const ProcessInputs& inputs) {
  Result<BrokerOptions> options = broker_options(settings);
  if (!options) return fail_start("weir broker", options.error());
  Result<cli::Environment> environment = whole_environment(inputs);
  if (!environment) return fail_start("weir broker", environment.error());
  rt::asio::AsioLoop loop;
  StderrLogger log(loop, options->log_level);
  Result<int> status = run_broker(loop, {*options, std::string(version()), *environment}, log);
  return status ? *status : fail_start("weir broker", status.error());
}

int look_into_bucket(const Invocation& invocation, const ProcessInputs& inputs) {
  Result<cli::Environment> environment = whole_environment(inputs);
  if (!environment) return fail_start("weir", environment.error());
  return static_cast<int>(run_bucket_command(*invocation.bucket_command, *invocation.settings,
                                             {invocation.names, *environment}));
}

}  // namespace
}  // namespace weir::app

int main(int argc, char** argv) {
  using weir::app::Invocation;

  // 1. Nothing that is opened later may become standard input, output or error.
  constexpr std::array kStandard = {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO};
  if (!weir::app::open_closed_descriptors(kStandard)) return 1;

  // 2. A reader that goes away is an error of that write, not the end of the process.
  std::signal(SIGPIPE, SIG_IGN);

  // 3. What are we asked to do?
  std::vector<std::string> words(argv + 1, argv + argc);
  weir::app::Program program;
  weir::app::ProcessInputs inputs = weir::app::process_inputs();
  Invocation invocation = program.parse(words, inputs);

  std::fwrite(invocation.warning.data(), 1, invocation.warning.size(), stderr);

  // 4. Do it.
  switch (invocation.kind) {
    case Invocation::Kind::print: return weir::app::print(invocation);
    case Invocation::Kind::broker: return weir::app::serve(*invocation.settings, inputs);
    case Invocation::Kind::cluster:
      return static_cast<int>(
          weir::app::run_command(*invocation.command, *invocation.settings, invocation.names));
    case Invocation::Kind::perf:
      return static_cast<int>(weir::app::run_perf_command(*invocation.perf_command,
                                                          *invocation.settings, invocation.names));
    case Invocation::Kind::bucket: return weir::app::look_into_bucket(invocation, inputs);
    case Invocation::Kind::cost:
      return static_cast<int>(weir::app::run_cost_command(*invocation.settings));
  }
  return static_cast<int>(weir::cli::ExitStatus::failed);
}
