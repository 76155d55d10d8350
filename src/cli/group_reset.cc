// weir group reset: moves the committed offsets of a group that has no members.
#include <boost/json/object.hpp>
#include <set>

#include "base/narrow.h"
#include "base/units.h"
#include "cli/group_commands.h"
#include "cli/json_line.h"
#include "cli/stream_commands.h"
#include "cli/table.h"
#include "client/group_offsets.h"
#include "client/kafka_error.h"

namespace weir::cli {
namespace {

using Offsets = std::map<client::TopicPartition, Offset>;

/// The partitions that are meant: of the topics that are named, else all that are committed.
rt::Task<Result<std::vector<client::TopicPartition>>> partitions_of(Session& session,
                                                                    const Offsets& committed) {
  std::set<std::int32_t> only;
  for (const Setting& setting : session.settings.all("partition")) {
    Result<std::int64_t> index = parse_integer(setting.text);
    ENSURE(index.has_value());
    only.insert(narrow<std::int32_t>(*index));
  }
  std::vector<client::TopicPartition> all;
  for (const Setting& setting : session.settings.all("topic")) {
    auto topic = co_await session.cluster.topic(setting.text, session.deadline());
    if (!topic) co_return std::unexpected(topic.error());
    for (const auto& partition : topic->partitions) all.push_back({setting.text, partition.index});
  }
  if (!session.settings.has("topic"))
    for (const auto& [at, offset] : committed) all.push_back(at);
  if (all.empty())
    co_return fail(ErrorCode::precondition,
                   "nothing to reset: the group has committed nothing; --topic names topics");
  if (only.empty()) co_return all;
  std::set<std::int32_t> absent = only;
  for (const client::TopicPartition& at : all) absent.erase(at.partition.value);
  if (!absent.empty())
    co_return fail(ErrorCode::precondition,
                   session.settings.has("topic")
                       ? "there is no partition " + std::to_string(*absent.begin()) +
                             " in what --topic names; `weir topic describe` shows the partitions"
                       : "the group has committed nothing in a partition " +
                             std::to_string(*absent.begin()) + "; --topic names topics");
  std::erase_if(all, [&](const auto& at) { return !only.contains(at.partition.value); });
  co_return all;
}

void print(Session& session, const Offsets& before, const Offsets& after) {
  Table table({"TOPIC", "PARTITION", "BEFORE", "AFTER"});
  for (const auto& [at, offset] : after) {
    const auto old = before.find(at);
    table.add({at.topic, std::to_string(at.partition.value),
               old == before.end() ? "-" : std::to_string(old->second.value),
               std::to_string(offset.value)});
    if (!session.json()) continue;
    boost::json::object object{{"topic", json_text(at.topic)},
                               {"partition", at.partition.value},
                               {"before", nullptr},
                               {"after", offset.value},
                               {"done", !session.settings.flag("dry-run")}};
    if (old != before.end()) object["before"] = old->second.value;
    (void)print_json(session, object);
  }
  if (!session.json()) (void)session.console.out(table.text());
}

rt::Task<Result<void>> commit(Session& session, client::GroupClient& group,
                              const Offsets& offsets) {
  auto codes = co_await client::commit_offsets(group, {}, offsets, session.deadline());
  if (!codes) co_return std::unexpected(codes.error());
  for (const auto& [at, code] : *codes) {
    if (code == 0) continue;
    if (is(code, client::KafkaCode::unknown_member_id))
      co_return fail(ErrorCode::precondition,
                     "the group has members; stop them first (`weir group describe " +
                         group.group() + "` shows them)");
    Error error = client::to_error(code);
    error.message =
        at.topic + " partition " + std::to_string(at.partition.value) + ": " + error.message;
    co_return std::unexpected(error);
  }
  co_return Result<void>();
}

rt::Task<Result<void>> reset(Session& session, Place place) {
  client::GroupClient group(session.cluster, session.names.front());
  auto before = co_await client::fetch_offsets(group, session.deadline());
  if (!before) co_return std::unexpected(before.error());
  auto partitions = co_await partitions_of(session, *before);
  if (!partitions) co_return std::unexpected(partitions.error());
  client::Consumer consumer(session.cluster, {});
  Offsets after;
  for (const client::TopicPartition& at : *partitions) {
    Result<Offset> offset = co_await offset_of(session, consumer, at, place);
    if (!offset) co_return std::unexpected(offset.error());
    after[at] = *offset;
  }
  if (!session.settings.flag("dry-run")) WEIR_CO_TRY(co_await commit(session, group, after));
  print(session, *before, after);
  co_return Result<void>();
}

}  // namespace

rt::Task<ExitStatus> reset_group(Session& session) {
  if (!session.settings.has("to"))
    co_return session.refuse({ErrorCode::invalid_argument, "--to is missing: where to?"});
  Result<Place> place = parse_place(session.settings.text("to"));
  if (!place)
    co_return session.refuse(
        with_context(place.error(), session.settings.one("to").source).error());
  Result<void> done = co_await reset(session, *place);
  if (!done) co_return session.fail(done.error());
  co_return ExitStatus::success;
}

}  // namespace weir::cli
