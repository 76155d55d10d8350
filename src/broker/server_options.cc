#include "broker/server_options.h"

#include "base/ensure.h"

namespace weir::broker {
namespace {

Result<std::int64_t> given_integer(const config::StaticValues& given, std::string_view name) {
  const config::ConfigDef* def = config::find_def(config::broker_defs(), name);
  ENSURE(def != nullptr && def->default_value != nullptr);
  const auto at = given.find(name);
  const std::string_view text =
      at == given.end() ? std::string_view(def->default_value) : std::string_view(at->second);
  std::string problem = config::value_problem(*def, text);
  if (!problem.empty()) return fail(ErrorCode::invalid_argument, std::move(problem));
  return *config::parse_integer(text);
}

Result<std::map<std::string, std::size_t>> overrides(const config::StaticValues& given) {
  std::map<std::string, std::size_t> out;
  const auto at = given.find("max.connections.per.ip.overrides");
  if (at == given.end()) return out;
  for (const std::string& item : config::split_list(at->second)) {
    const std::size_t colon = item.rfind(':');
    const auto number = colon == std::string::npos
                            ? std::nullopt
                            : config::parse_integer(std::string_view(item).substr(colon + 1));
    if (!number || *number < 0)
      return fail(ErrorCode::invalid_argument,
                  "max.connections.per.ip.overrides: \"" + item + "\" is not address:number");
    out[item.substr(0, colon)] = static_cast<std::size_t>(*number);
  }
  return out;
}

}  // namespace

Result<ServerOptions> server_options(const config::StaticValues& given) {
  ServerOptions out;
  auto frame = given_integer(given, "socket.request.max.bytes");
  if (!frame) return std::unexpected(frame.error());
  auto idle = given_integer(given, "connections.max.idle.ms");
  if (!idle) return std::unexpected(idle.error());
  auto all = given_integer(given, "max.connections");
  if (!all) return std::unexpected(all.error());
  auto per_ip = given_integer(given, "max.connections.per.ip");
  if (!per_ip) return std::unexpected(per_ip.error());
  auto others = overrides(given);
  if (!others) return std::unexpected(others.error());
  out.frame_bytes_max = static_cast<std::size_t>(*frame);
  // Nearly 300 years in nanoseconds is as good as never.
  const std::int64_t idle_ms_max = Duration::max() / 1ms / 2;
  out.idle_max = (*idle < 0 ? idle_ms_max : std::min(*idle, idle_ms_max)) * 1ms;
  out.connections_max = static_cast<std::size_t>(*all);
  out.connections_per_ip_max = static_cast<std::size_t>(*per_ip);
  out.per_ip_overrides = std::move(*others);
  return out;
}

}  // namespace weir::broker
