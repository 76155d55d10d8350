// weir group list, describe, delete and lag; reset is in group_reset.cc.
#include "cli/group_commands.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "cli/json_line.h"
#include "cli/report.h"
#include "cli/table.h"
#include "client/group_admin.h"
#include "client/group_offsets.h"

namespace weir::cli {
namespace {

namespace json = boost::json;

std::string dash_if_empty(std::string text) { return text.empty() ? "-" : text; }

/// "orders:0,1 payments:2".
std::string assignment_text(const std::vector<client::TopicPartition>& assignment) {
  std::map<std::string, std::string> topics;
  for (const client::TopicPartition& at : assignment) {
    std::string& partitions = topics[at.topic];
    if (!partitions.empty()) partitions.push_back(',');
    partitions.append(std::to_string(at.partition.value));
  }
  std::string out;
  for (const auto& [topic, partitions] : topics)
    out.append(out.empty() ? "" : " ").append(topic).append(":").append(partitions);
  return dash_if_empty(out);
}

json::object member_json(const client::GroupMemberInfo& member) {
  json::array assignment;
  for (const client::TopicPartition& at : member.assignment)
    assignment.push_back(
        json::object{{"topic", json_text(at.topic)}, {"partition", at.partition.value}});
  json::object out{{"member", json_text(member.id)},
                   {"instance", nullptr},
                   {"client_id", json_text(member.client_id)},
                   {"host", json_text(member.host)},
                   {"assignment", std::move(assignment)}};
  if (member.instance_id) out["instance"] = json_text(*member.instance_id);
  return out;
}

Result<void> print_group(Session& session, const client::GroupDescription& group) {
  if (session.json()) {
    json::array members;
    for (const auto& member : group.members) members.push_back(member_json(member));
    return print_json(session, {{"group", json_text(group.group)},
                                {"type", json_text(group.type)},
                                {"state", json_text(group.state)},
                                {"assignor", json_text(group.assignor)},
                                {"members", std::move(members)}});
  }
  std::string out = group.group + "\n  type: " + group.type + "\n  state: " + group.state +
                    "\n  assignor: " + dash_if_empty(group.assignor) + "\n";
  Table table({"  MEMBER", "INSTANCE", "CLIENT", "HOST", "PARTITIONS"});
  for (const auto& member : group.members)
    table.add({"  " + member.id, member.instance_id.value_or("-"), dash_if_empty(member.client_id),
               dash_if_empty(member.host), assignment_text(member.assignment)});
  return session.console.out(out + (group.members.empty() ? "" : table.text()));
}

struct LagRow {
  client::TopicPartition at;
  Offset committed;
  Offset end;
  std::string member;
};

/// One row for each partition that is committed or assigned.
rt::Task<Result<std::vector<LagRow>>> lag_of(Session& session, std::string name) {
  client::GroupAdmin admin(session.cluster);
  auto group = co_await admin.describe(name, session.deadline());
  if (!group) co_return std::unexpected(group.error());
  client::GroupClient client(session.cluster, name);
  auto committed = co_await client::fetch_offsets(client, session.deadline());
  if (!committed) co_return std::unexpected(committed.error());
  std::map<client::TopicPartition, LagRow> rows;
  for (const auto& [at, offset] : *committed) rows[at] = {at, offset, Offset(-1), ""};
  for (const auto& member : group->members)
    for (const auto& at : member.assignment) {
      if (!rows.contains(at)) rows[at] = {at, Offset(-1), Offset(-1), ""};
      rows[at].member = member.id;
    }
  client::Consumer consumer(session.cluster, {});
  std::vector<LagRow> out;
  for (auto& [at, row] : rows) {
    auto end = co_await consumer.find_offset(at, client::kLatestTimestamp, session.deadline());
    // Offsets outlive a topic by a moment.
    if (!end && end.error().is(ErrorCode::not_found)) continue;
    if (!end) co_return std::unexpected(end.error());
    row.end = *end;
    out.push_back(std::move(row));
  }
  co_return out;
}

void print_lag(Session& session, const std::string& group, const std::vector<LagRow>& rows) {
  Table table({"GROUP", "TOPIC", "PARTITION", "COMMITTED", "END", "LAG", "MEMBER"});
  for (const LagRow& row : rows) {
    const bool known = row.committed.value >= 0;
    const std::int64_t lag = std::max<std::int64_t>(row.end.value - row.committed.value, 0);
    table.add({group, row.at.topic, std::to_string(row.at.partition.value),
               known ? std::to_string(row.committed.value) : "-", std::to_string(row.end.value),
               known ? std::to_string(lag) : "-", dash_if_empty(row.member)});
    if (!session.json()) continue;
    json::object object{{"group", json_text(group)},
                        {"topic", json_text(row.at.topic)},
                        {"partition", row.at.partition.value},
                        {"committed", nullptr},
                        {"end", row.end.value},
                        {"lag", nullptr},
                        {"member", nullptr}};
    if (known) object["committed"] = row.committed.value;
    if (known) object["lag"] = lag;
    if (!row.member.empty()) object["member"] = json_text(row.member);
    (void)print_json(session, object);
  }
  if (!session.json()) (void)session.console.out(table.text());
}

constexpr Advice kAdvice = {
    .not_found = "`weir group list` shows what there is",
    .precondition = "stop the group's members first; `weir group describe` shows them"};

}  // namespace

rt::Task<ExitStatus> list_groups(Session& session) {
  client::GroupAdmin admin(session.cluster);
  auto groups = co_await admin.list(session.deadline());
  if (!groups) co_return session.fail(groups.error());
  Table table({"GROUP", "TYPE", "STATE", "PROTOCOL"});
  for (const client::GroupListing& group : *groups) {
    table.add({group.group, dash_if_empty(group.type), dash_if_empty(group.state),
               dash_if_empty(group.protocol_type)});
    if (session.json())
      (void)print_json(session, {{"group", json_text(group.group)},
                                 {"type", json_text(group.type)},
                                 {"state", json_text(group.state)},
                                 {"protocol_type", json_text(group.protocol_type)}});
  }
  if (!session.json()) (void)session.console.out(table.text());
  co_return ExitStatus::success;
}

rt::Task<ExitStatus> describe_groups(Session& session) {
  client::GroupAdmin admin(session.cluster);
  ExitStatus status = ExitStatus::success;
  for (const std::string& name : session.names) {
    auto group = co_await admin.describe(name, session.deadline());
    if (group)
      (void)print_group(session, *group);
    else
      status = session.fail(group.error(), kAdvice);
  }
  co_return status;
}

rt::Task<ExitStatus> delete_groups(Session& session) {
  client::GroupAdmin admin(session.cluster);
  std::vector<client::ItemOutcome> outcomes;
  for (const std::string& name : session.names) {
    Result<void> removed = co_await admin.remove(name, session.deadline());
    client::ItemOutcome& item = outcomes.emplace_back();
    item.name = name;
    if (!removed) item.error = removed.error();
  }
  ReportWords words{.thing = "group", .done = "deleted", .accepted = {}, .advice = kAdvice};
  if (session.settings.flag("if-exists")) words.accepted = ErrorCode::not_found;
  co_return report(session, outcomes, words);
}

rt::Task<ExitStatus> show_lag(Session& session) {
  ExitStatus status = ExitStatus::success;
  for (const std::string& name : session.names) {
    auto rows = co_await lag_of(session, name);
    if (rows)
      print_lag(session, name, *rows);
    else
      status = session.fail(rows.error(), kAdvice);
  }
  co_return status;
}

}  // namespace weir::cli
