#include "cli/config_commands.h"

#include <boost/json/object.hpp>

#include "base/units.h"
#include "cli/json_line.h"
#include "cli/table.h"
#include "client/admin_client.h"

namespace weir::cli {
namespace {

namespace json = boost::json;

/// "topic/NAME", "broker/ID", "brokers" for the defaults of all, "group/NAME",
/// "client-metrics/NAME".
Result<client::ConfigTarget> parse_target(std::string_view word) {
  using Kind = client::ConfigTarget::Kind;
  if (word == "brokers") return client::ConfigTarget{.kind = Kind::broker, .name = ""};
  std::size_t slash = word.find('/');
  std::string_view kind = word.substr(0, slash);
  std::string name(slash == std::string_view::npos ? std::string_view() : word.substr(slash + 1));
  if (kind == "topic" && !name.empty()) return client::ConfigTarget{Kind::topic, name};
  if (kind == "broker" && parse_integer(name)) return client::ConfigTarget{Kind::broker, name};
  if (kind == "group" && !name.empty()) return client::ConfigTarget{Kind::group, name};
  if (kind == "client-metrics" && !name.empty())
    return client::ConfigTarget{Kind::client_metrics, name};
  return fail(
      ErrorCode::invalid_argument,
      "'" + std::string(word) +
          "' is neither topic/NAME, broker/ID, brokers, group/NAME nor client-metrics/NAME");
}

/// Where to look for a target that there is not.
Advice advice_for(const client::ConfigTarget& target) {
  using Kind = client::ConfigTarget::Kind;
  switch (target.kind) {
    case Kind::broker: return {.not_found = "`weir broker list` shows what there is"};
    case Kind::group: return {.not_found = "`weir group list` shows what there is"};
    case Kind::client_metrics: return {.not_found = "its name may be misspelt"};
    default: return {};
  }
}

}  // namespace

rt::Task<ExitStatus> describe_configs(Session& session) {
  Result<client::ConfigTarget> target = parse_target(session.names.front());
  if (!target) co_return session.refuse(target.error());
  client::AdminClient admin(session.cluster);
  auto configs = co_await admin.describe_configs(*target, session.deadline());
  if (!configs) co_return session.fail(configs.error(), advice_for(*target));
  Table table({"NAME", "VALUE", "SOURCE"});
  std::size_t shown = 0;
  for (const client::ConfigEntry& config : *configs) {
    if (config.is_default && !session.settings.flag("all")) continue;
    ++shown;
    table.add({config.name, config.value.value_or("(secret)"), config.source});
    if (!session.json()) continue;
    json::object object{
        {"name", json_text(config.name)},
        {"value", config.value ? json::value(json_text(*config.value)) : json::value()},
        {"source", json_text(config.source)},
        {"read_only", config.read_only},
        {"sensitive", config.sensitive}};
    (void)print_json(session, object);
  }
  if (!session.json() && shown == 0)
    session.console.err("nothing is set for it; --all shows the defaults that hold\n");
  else if (!session.json())
    (void)session.console.out(table.text());
  co_return ExitStatus::success;
}

rt::Task<ExitStatus> alter_configs(Session& session) {
  Result<client::ConfigTarget> target = parse_target(session.names.front());
  if (!target) co_return session.refuse(target.error());
  std::vector<client::ConfigChange> changes;
  for (const Setting& setting : session.settings.all("config")) {
    auto pair = parse_pair(setting);
    if (!pair) co_return session.refuse(pair.error());
    changes.emplace_back(std::move(pair->first), std::move(pair->second));
  }
  for (const Setting& key : session.settings.all("delete-config"))
    changes.emplace_back(key.text, std::nullopt);
  if (changes.empty())
    co_return session.refuse(
        {ErrorCode::invalid_argument, "nothing to alter; give --config or --delete-config"});
  client::AdminClient admin(session.cluster);
  Result<void> altered =
      co_await admin.alter_configs(*target, std::move(changes), session.deadline());
  if (!altered) co_return session.fail(altered.error(), advice_for(*target));
  (void)session.console.out(session.json() ? "{\"done\":true}\n"
                                           : "altered " + session.names.front() + "\n");
  co_return ExitStatus::success;
}

}  // namespace weir::cli
