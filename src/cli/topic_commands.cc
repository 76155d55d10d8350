// weir topic create, list, describe, alter and delete.
#include "cli/topic_commands.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "base/narrow.h"
#include "cli/json_line.h"
#include "cli/report.h"
#include "cli/table.h"
#include "client/admin_client.h"

namespace weir::cli {
namespace {

namespace json = boost::json;

Result<std::vector<std::pair<std::string, std::string>>> config_pairs(const Settings& settings) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const Setting& setting : settings.all("config")) {
    auto pair = parse_pair(setting);
    if (!pair) return std::unexpected(pair.error());
    pairs.push_back(std::move(*pair));
  }
  return pairs;
}

rt::Task<Result<void>> describe_one(Session& session, std::string name) {
  client::AdminClient admin(session.cluster);
  session.cluster.forget(name);
  auto topic = co_await session.cluster.topic(name, session.deadline());
  if (!topic) co_return std::unexpected(topic.error());
  auto configs = co_await admin.describe_configs({.name = name}, session.deadline());
  if (!configs) co_return std::unexpected(configs.error());
  if (session.json()) {
    json::array partitions;
    for (const auto& partition : topic->partitions)
      partitions.push_back(json::object{{"partition", partition.index.value},
                                        {"leader", partition.leader.value},
                                        {"leader_epoch", partition.epoch.value}});
    json::object values;
    for (const auto& config : *configs)
      values[config.name] =
          config.value ? json::value(json_text(*config.value)) : json::value(nullptr);
    co_return print_json(session, {{"topic", json_text(topic->name)},
                                   {"id", json_text(topic->id.hex())},
                                   {"partitions", std::move(partitions)},
                                   {"configs", std::move(values)}});
  }
  std::string out = topic->name + "\n  id: " + topic->id.hex() + "\n";
  for (const auto& config : *configs)
    if (!config.is_default)
      out.append("  ")
          .append(config.name)
          .append(": ")
          .append(config.value.value_or("(secret)"))
          .append("\n");
  Table table({"  PARTITION", "LEADER", "EPOCH", "REPLICAS"});
  for (const auto& partition : topic->partitions)
    table.add({"  " + std::to_string(partition.index.value), std::to_string(partition.leader.value),
               std::to_string(partition.epoch.value), std::to_string(partition.replicas.size())});
  co_return session.console.out(out + table.text());
}

rt::Task<Result<void>> alter_one(Session& session, std::string name,
                                 std::vector<client::ConfigChange> changes) {
  client::AdminClient admin(session.cluster);
  if (session.settings.has("partitions")) {
    auto count = narrow<std::int32_t>(session.settings.integer("partitions"));
    WEIR_CO_TRY(co_await admin.grow_topic(name, count, session.deadline()));
  }
  if (!changes.empty())
    WEIR_CO_TRY(
        co_await admin.alter_configs({.name = name}, std::move(changes), session.deadline()));
  co_return Result<void>();
}

}  // namespace

rt::Task<ExitStatus> create_topics(Session& session) {
  auto configs = config_pairs(session.settings);
  if (!configs) co_return session.refuse(configs.error());
  std::vector<client::NewTopic> topics;
  for (const std::string& name : session.names) {
    client::NewTopic& topic = topics.emplace_back();
    topic.name = name;
    topic.configs = *configs;
    if (session.settings.has("partitions"))
      topic.partitions = narrow<std::int32_t>(session.settings.integer("partitions"));
    if (session.settings.has("replication-factor"))
      topic.replication_factor =
          narrow<std::int16_t>(session.settings.integer("replication-factor"));
  }
  client::AdminClient admin(session.cluster);
  auto outcomes = co_await admin.create_topics(std::move(topics), session.deadline());
  if (!outcomes) co_return session.fail(outcomes.error());
  std::optional<ErrorCode> accepted;
  if (session.settings.flag("if-not-exists")) accepted = ErrorCode::already_exists;
  co_return report(session, *outcomes, {"topic", "created", accepted, {}});
}

rt::Task<ExitStatus> list_topics(Session& session) {
  auto topics = co_await session.cluster.topics(session.deadline());
  if (!topics) co_return session.fail(topics.error());
  Table table({"TOPIC", "PARTITIONS"});
  for (const client::TopicMetadata& topic : *topics) {
    if (session.json())
      (void)print_json(session, {{"topic", json_text(topic.name)},
                                 {"id", json_text(topic.id.hex())},
                                 {"partitions", topic.partitions.size()},
                                 {"internal", topic.internal}});
    table.add({topic.name, std::to_string(topic.partitions.size())});
  }
  if (!session.json()) (void)session.console.out(table.text());
  co_return ExitStatus::success;
}

rt::Task<ExitStatus> describe_topics(Session& session) {
  ExitStatus status = ExitStatus::success;
  for (const std::string& name : session.names) {
    Result<void> described = co_await describe_one(session, name);
    if (!described) status = session.fail(described.error());
  }
  co_return status;
}

/// A setting without --config is taken for one more topic.
std::string nothing_to_alter(const std::vector<std::string>& names) {
  const auto setting = std::ranges::find_if(
      names, [](const std::string& name) { return name.find('=') != std::string::npos; });
  if (setting != names.end()) return "'" + *setting + "' is no topic; write --config " + *setting;
  return "nothing to alter; give --partitions, --config or --delete-config";
}

rt::Task<ExitStatus> alter_topics(Session& session) {
  auto configs = config_pairs(session.settings);
  if (!configs) co_return session.refuse(configs.error());
  std::vector<client::ConfigChange> changes;
  for (auto& [key, value] : *configs) changes.emplace_back(key, value);
  for (const Setting& key : session.settings.all("delete-config"))
    changes.emplace_back(key.text, std::nullopt);
  if (changes.empty() && !session.settings.has("partitions"))
    co_return session.refuse({ErrorCode::invalid_argument, nothing_to_alter(session.names)});
  std::vector<client::ItemOutcome> outcomes;
  for (const std::string& name : session.names) {
    Result<void> altered = co_await alter_one(session, name, changes);
    client::ItemOutcome& item = outcomes.emplace_back();
    item.name = name;
    if (!altered) item.error = altered.error();
  }
  co_return report(session, outcomes, {"topic", "altered", std::nullopt, {}});
}

rt::Task<ExitStatus> delete_topics(Session& session) {
  client::AdminClient admin(session.cluster);
  auto outcomes = co_await admin.delete_topics(session.names, session.deadline());
  if (!outcomes) co_return session.fail(outcomes.error());
  std::optional<ErrorCode> accepted;
  if (session.settings.flag("if-exists")) accepted = ErrorCode::not_found;
  co_return report(session, *outcomes, {"topic", "deleted", accepted, {}});
}

}  // namespace weir::cli
