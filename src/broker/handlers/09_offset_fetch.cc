// 09 OffsetFetch, versions 1-10.
//
// Serves: one group (1-7) or several with errors of their own (8+); named partitions, or all that
// the group has (null, 2+); topics by name (1-9) or id (10); member and epoch (9+) where the group
// has the consumer protocol. Offset -1 where nothing was committed, whether or not the topic
// exists; an unknown topic id: UNKNOWN_TOPIC_ID. `require_stable` (7+): UNSTABLE_OFFSET_COMMIT
// where a transaction may still change the offset. Everything is said after a barrier. A group
// named twice is answered once, with all that was asked of it; one for whose answer there is no
// memory: COORDINATOR_LOAD_IN_PROGRESS, which clients retry.
#include "broker/deadlines.h"
#include "broker/handlers/group_requests.h"
#include "broker/handlers/handlers.h"
#include "broker/handlers/repeated.h"
#include "broker/serve.h"
#include "wire/offset_fetch.h"

namespace weir::broker::handlers {
namespace {

using Request = wire::OffsetFetchRequest;
using Response = wire::OffsetFetchResponse;
using Topics = Response::OffsetFetchResponseTopics;
using Resolved = std::vector<std::vector<AskedPartition>>;

/// One group of a request, and its answer.
struct Asked {
  std::string group;
  std::optional<std::string> member;
  std::int32_t epoch = -1;
  /// Nothing: all.
  std::optional<std::vector<AskedTopic>> topics;
  Resolved resolved;

  KafkaError error = KafkaError::none;
  std::vector<Topics> answer;

  void add_from(Asked& later) {
    if (!topics || !later.topics) return topics.reset();
    for (AskedTopic& topic : *later.topics) topics->push_back(std::move(topic));
  }
};

std::vector<Asked> groups_of(Request& request, std::int16_t version) {
  std::vector<Asked> groups;
  if (version < 8) {
    Asked& one = groups.emplace_back();
    one.group = request.group_id;
    if (request.topics) one.topics.emplace();
    if (request.topics)
      for (auto& topic : *request.topics)
        one.topics->push_back({std::move(topic.name), {}, std::move(topic.partition_indexes)});
    return groups;
  }
  for (auto& group : request.groups) {
    Asked& one = groups.emplace_back();
    one.group = group.group_id;
    one.member = group.member_id;
    one.epoch = group.member_epoch;
    if (!group.topics) continue;
    one.topics.emplace();
    for (auto& topic : *group.topics)
      one.topics->push_back(
          {std::move(topic.name), topic.topic_id, std::move(topic.partition_indexes)});
  }
  return groups;
}

/// Each group, topic and partition once, whatever the request repeats.
void fold(std::vector<Asked>& groups) {
  fold_repeated(
      groups, [](const Asked& asked) { return asked.group; },
      [](Asked& first, Asked& later) { first.add_from(later); });
  for (Asked& asked : groups)
    if (asked.topics)
      fold_topics(
          *asked.topics, [](const AskedTopic& topic) { return std::pair(topic.id, topic.name); },
          &AskedTopic::partitions);
}

engine::OffsetsQuery query_of(const Asked& asked) {
  engine::OffsetsQuery query{asked.group, asked.member, asked.epoch, std::nullopt};
  if (!asked.topics) return query;
  query.partitions.emplace();
  for (const auto& partitions : asked.resolved)
    for (const AskedPartition& partition : partitions) query.partitions->push_back(partition.at);
  return query;
}

Response::OffsetFetchResponsePartitions answer_one(const RequestContext& context, bool stable,
                                                   std::int32_t index,
                                                   engine::CommittedOffset& offset) {
  Response::OffsetFetchResponsePartitions out{.partition_index = index, .committed_offset = -1};
  if (offset.unstable && stable) {
    out.error_code = context.tell(KafkaError::unstable_offset_commit);
    return out;
  }
  out.committed_offset = offset.offset;
  out.committed_leader_epoch = offset.leader_epoch;
  out.metadata = std::move(offset.metadata);
  return out;
}

/// The named partitions, in their order.
void answer_named(const RequestContext& context, bool stable, engine::FetchedOffsets& found,
                  Asked& asked) {
  std::size_t next = 0;
  for (std::size_t t = 0; t < asked.topics->size(); ++t) {
    const AskedTopic& topic = (*asked.topics)[t];
    Topics& out = asked.answer.emplace_back(Topics{.name = topic.name, .topic_id = topic.id});
    for (std::size_t p = 0; p < topic.partitions.size(); ++p) {
      auto& answer = out.partitions.emplace_back(
          answer_one(context, stable, topic.partitions[p], found.offsets[next++]));
      const KafkaError error = asked.resolved[t][p].error;
      // A name that nobody knows has no offset; an id must be looked up again.
      if (error != KafkaError::none && error != KafkaError::unknown_topic_or_partition)
        answer.error_code = context.tell(error);
    }
  }
}

void answer_all(const Broker& broker, const RequestContext& context, bool stable,
                engine::FetchedOffsets& found, Asked& asked) {
  for (engine::CommittedOffset& offset : found.offsets) {
    const state::TopicInfo* topic = broker.catalog().topic(offset.at.topic);
    if (topic == nullptr) continue;
    if (asked.answer.empty() || asked.answer.back().topic_id != topic->id)
      asked.answer.push_back(Topics{.name = topic->name, .topic_id = topic->id});
    asked.answer.back().partitions.push_back(
        answer_one(context, stable, offset.at.partition.value, offset));
  }
}

/// Versions 1 to 7 have one group, and its fields elsewhere.
void flatten(const RequestContext& context, Asked& asked, Response& response) {
  for (Topics& topic : asked.answer) {
    auto& out = response.topics.emplace_back();
    out.name = std::move(topic.name);
    for (auto& partition : topic.partitions)
      out.partitions.push_back({.partition_index = partition.partition_index,
                                .committed_offset = partition.committed_offset,
                                .committed_leader_epoch = partition.committed_leader_epoch,
                                .metadata = std::move(partition.metadata),
                                .error_code = partition.error_code});
  }
  response.error_code = context.tell(asked.error);
  if (asked.error == KafkaError::none || context.version > 1 || !asked.topics) return;
  for (const AskedTopic& topic : *asked.topics) {
    auto& out = response.topics.emplace_back();
    out.name = topic.name;
    for (std::int32_t index : topic.partitions)
      out.partitions.push_back(
          {.partition_index = index, .committed_offset = -1, .error_code = code(asked.error)});
  }
}

/// From the state as it is, so after a barrier.
rt::Task<void> answer_group(Broker& broker, const RequestContext& context, bool stable,
                            AnswerRoom& room, Asked& asked) {
  const engine::GroupApi& groups = broker.engine().groups();
  const engine::OffsetsQuery query = query_of(asked);
  if (!co_await room.take(groups.offsets_bytes(query))) {
    asked.error = KafkaError::coordinator_load_in_progress;
    co_return;
  }
  engine::FetchedOffsets found = groups.read_offsets(query);
  asked.error = error_of(found);
  if (asked.error != KafkaError::none) co_return;
  if (asked.topics)
    answer_named(context, stable, found, asked);
  else
    answer_all(broker, context, stable, found, asked);
}

rt::Task<Response> handle(Broker& broker, const RequestContext& context, Request request,
                          AnswerRoom& room) {
  const MonoTime deadline = deadline_of(context.api_key, context.arrived);
  std::vector<Asked> groups = groups_of(request, context.version);
  fold(groups);
  for (Asked& asked : groups)
    if (asked.topics) asked.resolved = co_await resolve(broker, *asked.topics, deadline);
  // An older offset than what was committed elsewhere would be read twice.
  const Result<void> proved = co_await broker.engine().barrier(deadline);
  for (Asked& asked : groups) {
    asked.error = check_group_id(asked.group);
    if (asked.error != KafkaError::none) continue;
    if (proved)
      co_await answer_group(broker, context, request.require_stable, room, asked);
    else
      asked.error = to_kafka(ApiClass::coordinator, proved.error().code);
  }
  Response response;
  if (context.version < 8) {
    flatten(context, groups.front(), response);
    co_return response;
  }
  for (Asked& asked : groups)
    response.groups.push_back({.group_id = std::move(asked.group),
                               .topics = std::move(asked.answer),
                               .error_code = context.tell(asked.error)});
  co_return response;
}

}  // namespace

rt::Task<Reply> offset_fetch(Broker& broker, RequestContext& context, SharedBytes body) {
  return serve_large<Request, Response, handle>(broker, context, std::move(body));
}

}  // namespace weir::broker::handlers
