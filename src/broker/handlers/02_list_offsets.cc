// 02 ListOffsets, versions 1-11.
//
// Serves: -1 latest (the last stable offset for read_committed), -2 earliest, -3 max timestamp
// (7+), -4 earliest local (8+; the start, for all data is "local"), -5 latest tiered (9+) and -6
// earliest pending upload (11): offset -1, as a Kafka without remote storage; a timestamp from 0
// on: the first record at or after it, -1 and -1 if there is none. A special value below its
// version: UNSUPPORTED_VERSION. Everything is said after a barrier. Leader epochs as docs/design.md
// section 12. A partition named twice: INVALID_REQUEST.
#include <set>

#include "broker/deadlines.h"
#include "broker/handlers/handlers.h"
#include "broker/placement.h"
#include "broker/serve.h"
#include "broker/topic_lookup.h"
#include "wire/list_offsets.h"

namespace weir::broker::handlers {
namespace {

using Request = wire::ListOffsetsRequest;
using Response = wire::ListOffsetsResponse;
using Answer = Response::ListOffsetsPartitionResponse;

enum Special : std::int64_t {
  kLatest = -1,
  kEarliest = -2,
  kMaxTimestamp = -3,
  kEarliestLocal = -4,
  kLatestTiered = -5,
  kEarliestPendingUpload = -6,
};

std::int16_t first_version(std::int64_t timestamp) {
  switch (timestamp) {
    case kLatest:
    case kEarliest: return 1;
    case kMaxTimestamp: return 7;
    case kEarliestLocal: return 8;
    case kLatestTiered: return 9;
    case kEarliestPendingUpload: return 11;
    default: return timestamp >= 0 ? 1 : INT16_MAX;
  }
}

/// Searches that the engine has to make, and where their answers go.
struct Searches {
  std::vector<engine::TimestampQuery> queries;
  std::vector<std::pair<std::size_t, std::size_t>> places;
};

struct Work {
  Broker& broker;
  const RequestContext& context;
  const Request& request;
  const Result<void>& barrier;
  std::set<std::pair<std::string, std::int32_t>> seen;
};

/// none, or why the partition cannot be asked.
KafkaError check(Work& work, const Placement& placement, const state::TopicInfo* topic,
                 const std::string& name, const Request::ListOffsetsPartition& asked) {
  if (!work.seen.emplace(name, asked.partition_index).second) return KafkaError::invalid_request;
  if (work.context.version < first_version(asked.timestamp)) return KafkaError::unsupported_version;
  if (!work.barrier) return to_kafka(ApiClass::fetch, work.barrier.error().code);
  if (!topic || !has_partition(*topic, asked.partition_index))
    return KafkaError::unknown_topic_or_partition;
  return placement.check_epoch({topic->id, PartitionIndex(asked.partition_index)},
                               asked.current_leader_epoch);
}

/// Answers from the state; false if it takes a search.
bool answer_special(const Work& work, const state::PartitionInfo& info, std::int64_t timestamp,
                    Answer& answer) {
  const bool committed = work.request.isolation_level == 1;
  switch (timestamp) {
    case kLatest: answer.offset = (committed ? info.last_stable : info.end).value; return true;
    case kEarliest:
    case kEarliestLocal: answer.offset = info.start.value; return true;
    case kLatestTiered:
    case kEarliestPendingUpload: answer.leader_epoch = -1; return true;
    default: return false;
  }
}

Response answer_all(Work& work, Searches& searches) {
  const Placement placement(work.broker.engine(), work.context.connection.listener,
                            work.context.zone);
  const state::Catalog& catalog = work.broker.catalog();
  Response response;
  for (const Request::ListOffsetsTopic& asked_topic : work.request.topics) {
    const state::TopicInfo* topic = catalog.topic(asked_topic.name);
    auto& out = response.topics.emplace_back();
    out.name = asked_topic.name;
    for (const Request::ListOffsetsPartition& asked : asked_topic.partitions) {
      Answer& answer = out.partitions.emplace_back();
      answer.partition_index = asked.partition_index;
      const KafkaError error = check(work, placement, topic, asked_topic.name, asked);
      answer.error_code = work.context.tell(error);
      if (error != KafkaError::none) continue;
      if (work.context.version >= 4) answer.leader_epoch = placement.epoch().value;
      const state::PartitionRef at{topic->id, PartitionIndex(asked.partition_index)};
      const auto info = catalog.partition(at);
      ENSURE(info.has_value());
      if (answer_special(work, *info, asked.timestamp, answer)) continue;
      searches.queries.push_back({at, asked.timestamp});
      searches.places.emplace_back(response.topics.size() - 1, out.partitions.size() - 1);
    }
  }
  return response;
}

void fill(const RequestContext& context, const engine::TimestampAnswer& found, Answer& answer) {
  if (!found.ok()) {
    const KafkaError error = found.failure ? to_kafka(ApiClass::fetch, found.failure->code)
                                           : to_kafka(ApiClass::fetch, found.refusal);
    answer.error_code = context.tell(error);
    answer.leader_epoch = -1;
    return;
  }
  answer.offset = found.offset.value;
  answer.timestamp = found.timestamp_ms;
  if (found.offset.value < 0) answer.leader_epoch = -1;
}

rt::Task<Response> handle(Broker& broker, const RequestContext& context, Request request) {
  const MonoTime deadline = deadline_of(context.api_key, context.arrived,
                                        context.version >= 10 ? request.timeout_ms : -1);
  const Result<void> barrier = co_await broker.engine().barrier(deadline);
  Work work{broker, context, request, barrier, {}};
  Searches searches;
  Response response = answer_all(work, searches);
  if (searches.queries.empty()) co_return response;
  const auto found =
      co_await broker.engine().find_timestamps(std::move(searches.queries), deadline);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto [topic, partition] = searches.places[i];
    fill(context, found[i], response.topics[topic].partitions[partition]);
  }
  co_return response;
}

}  // namespace

rt::Task<Reply> list_offsets(Broker& broker, RequestContext& context, SharedBytes body) {
  return serve<Request, Response, handle>(broker, context, std::move(body));
}

}  // namespace weir::broker::handlers
