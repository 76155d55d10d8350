#include "cli/session.h"

#include "client/bootstrap.h"

namespace weir::cli {
namespace {

constexpr OptionSpec kClusterOptions[] = {
    {.name = "bootstrap",
     .value_name = "HOST:PORT[,…]",
     .help = "Brokers to ask first.",
     .fallback = "localhost:9092",
     .from_environment = true},
    {.name = "output",
     .kind = OptionKind::choice,
     .value_name = "text|json",
     .help = "For people, or one JSON value per line for programs.",
     .fallback = "text",
     .choices = "text|json",
     .from_environment = true},
    {.name = "timeout",
     .kind = OptionKind::duration,
     .value_name = "DURATION",
     .help = "How long to try; less where no broker listens.",
     .fallback = "30s",
     .from_environment = true},
};

}  // namespace

std::span<const OptionSpec> cluster_options() { return kClusterOptions; }

MonoTime Session::deadline() const {
  std::optional<Duration> timeout = settings.duration("timeout");
  return timeout ? cluster.loop().now() + *timeout : MonoTime::max();
}

ExitStatus Session::fail(const Error& error, const Advice& advice) const {
  // The reader of our output has gone, or Ctrl-C: who did that knows.
  if (error.is(ErrorCode::cancelled)) return ExitStatus::failed;
  std::string line = "weir " + std::string(settings.command().path) + ": " + error.message;
  if (line.ends_with('.')) line.pop_back();
  std::string_view next = next_step(error, cluster.has_answered(), advice);
  if (!next.empty()) line.append("; ").append(next);
  console.err(line + "\n");
  return ExitStatus::failed;
}

ExitStatus Session::refuse(const Error& error) const {
  console.err("weir " + std::string(settings.command().path) + ": " + error.message + "\n");
  return ExitStatus::usage;
}

Result<client::ClusterOptions> cluster_of(const Settings& settings) {
  const Setting& setting = settings.one("bootstrap");
  auto endpoints = client::parse_bootstrap(setting.text);
  if (!endpoints) return with_context(endpoints.error(), setting.source);
  return client::ClusterOptions{.bootstrap = std::move(*endpoints), .client_id = "weir-cli"};
}

std::string_view next_step(const Error& error, bool answered, const Advice& advice) {
  if (!answered) {
    // Nobody was there, or somebody who is no broker: the address is what can be wrong.
    if (error.is(ErrorCode::configuration) || error.is(ErrorCode::unavailable) ||
        error.is(ErrorCode::closed) || error.is(ErrorCode::timed_out))
      return "is a broker running there (`weir` starts one)? --bootstrap names another";
    if (error.is(ErrorCode::corrupt))
      return "--bootstrap needs a listener for Kafka clients, by default port 9092; 9093 is for "
             "admin HTTP";
  }
  switch (error.code) {
    case ErrorCode::not_found: return advice.not_found;
    case ErrorCode::already_exists: return advice.already_exists;
    case ErrorCode::precondition: return advice.precondition;
    case ErrorCode::timed_out: return "--timeout gives it longer";
    case ErrorCode::unavailable: return "the broker's log and its /readyz page say more";
    case ErrorCode::closed: return "the broker went away; try again";
    case ErrorCode::unsupported: return "the broker is too old or too new for this command";
    case ErrorCode::corrupt: return "`weir verify` checks what the store holds";
    default: return "";
  }
}

Result<std::pair<std::string, std::string>> parse_pair(const Setting& setting) {
  std::size_t equals = setting.text.find('=');
  if (equals == std::string::npos || equals == 0)
    return weir::fail(ErrorCode::invalid_argument,
                      setting.source + ": '" + setting.text + "' is not of the form key=value");
  return std::pair{setting.text.substr(0, equals), setting.text.substr(equals + 1)};
}

}  // namespace weir::cli
