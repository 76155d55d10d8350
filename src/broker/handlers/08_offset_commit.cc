// 08 OffsetCommit, versions 2-10.
//
// Serves: members of a generation or epoch, and those that are none (generation -1) while the group
// has no members; topics by name (2-9) or id (10); one commit for the whole request; metadata and
// leader epoch (6+) are kept. ILLEGAL_GENERATION (GROUP_ID_NOT_FOUND from 9 on) for a member of an
// unknown group, UNKNOWN_MEMBER_ID, FENCED_INSTANCE_ID, REBALANCE_IN_PROGRESS while assignments are
// awaited, STALE_MEMBER_EPOCH (UNSUPPORTED_VERSION below 9), OFFSET_METADATA_TOO_LARGE
// (`offset.metadata.max.bytes`), INVALID_COMMIT_OFFSET_SIZE for more than one log entry can take.
// `retention_time_ms` (2-4) is not used, as in Kafka.
#include "broker/deadlines.h"
#include "broker/handlers/group_requests.h"
#include "broker/handlers/handlers.h"
#include "broker/serve.h"
#include "wire/offset_commit.h"

namespace weir::broker::handlers {
namespace {

using Request = wire::OffsetCommitRequest;
using Response = wire::OffsetCommitResponse;
using Resolved = std::vector<std::vector<AskedPartition>>;

std::vector<AskedTopic> topics_of(const Request& request) {
  std::vector<AskedTopic> topics;
  for (const auto& topic : request.topics) {
    AskedTopic& out = topics.emplace_back(AskedTopic{topic.name, topic.topic_id, {}});
    for (const auto& partition : topic.partitions)
      out.partitions.push_back(partition.partition_index);
  }
  return topics;
}

/// What may be committed; the other partitions have their errors.
std::vector<engine::OffsetToCommit> offsets_of(const Request& request, std::size_t metadata_max,
                                               Resolved& resolved) {
  std::vector<engine::OffsetToCommit> offsets;
  for (std::size_t t = 0; t < request.topics.size(); ++t) {
    for (std::size_t p = 0; p < request.topics[t].partitions.size(); ++p) {
      const auto& asked = request.topics[t].partitions[p];
      AskedPartition& partition = resolved[t][p];
      std::string metadata = asked.committed_metadata.value_or("");
      if (partition.error == KafkaError::none && metadata.size() > metadata_max)
        partition.error = KafkaError::offset_metadata_too_large;
      if (partition.error != KafkaError::none) continue;
      offsets.push_back({partition.at, asked.committed_offset, asked.committed_leader_epoch,
                         std::move(metadata)});
    }
  }
  return offsets;
}

KafkaError error_of_commit(const engine::GroupOutcome& outcome, std::int16_t version) {
  if (outcome.failure && outcome.failure->code == ErrorCode::too_large)
    return KafkaError::invalid_commit_offset_size;
  if (outcome.refusal == state::Refusal::group_not_found && version < 9)
    return KafkaError::illegal_generation;
  if (outcome.refusal == state::Refusal::stale_member_epoch && version < 9)
    return KafkaError::unsupported_version;
  if (outcome.refusal == state::Refusal::unknown_topic && version >= 10)
    return KafkaError::unknown_topic_id;
  return error_of(outcome);
}

Response answer_of(const RequestContext& context, const Request& request,
                   const Resolved& resolved) {
  Response response;
  for (std::size_t t = 0; t < request.topics.size(); ++t) {
    auto& topic = response.topics.emplace_back();
    topic.name = request.topics[t].name;
    topic.topic_id = request.topics[t].topic_id;
    for (std::size_t p = 0; p < resolved[t].size(); ++p)
      topic.partitions.push_back(
          {.partition_index = request.topics[t].partitions[p].partition_index,
           .error_code = context.tell(resolved[t][p].error)});
  }
  return response;
}

rt::Task<Response> handle(Broker& broker, const RequestContext& context, Request request) {
  const MonoTime deadline = deadline_of(context.api_key, context.arrived);
  Resolved resolved = co_await resolve(broker, topics_of(request), deadline);
  if (const KafkaError bad = check_group_id(request.group_id); bad != KafkaError::none) {
    for (auto& partitions : resolved)
      for (AskedPartition& partition : partitions) partition.error = bad;
    co_return answer_of(context, request, resolved);
  }
  const std::int64_t metadata_max =
      config::broker_integer(broker.config_sources(), "offset.metadata.max.bytes");
  std::vector<engine::OffsetToCommit> offsets = offsets_of(
      request, static_cast<std::size_t>(std::max<std::int64_t>(metadata_max, 0)), resolved);
  if (offsets.empty()) co_return answer_of(context, request, resolved);
  engine::MemberId from{request.group_id, request.member_id, request.group_instance_id,
                        request.generation_id_or_member_epoch};
  const std::vector<engine::GroupOutcome> outcomes =
      co_await broker.engine().groups().commit_offsets(std::move(from), std::move(offsets),
                                                       deadline);
  std::size_t next = 0;
  for (auto& partitions : resolved)
    for (AskedPartition& partition : partitions)
      if (partition.error == KafkaError::none)
        partition.error = error_of_commit(outcomes[next++], context.version);
  co_return answer_of(context, request, resolved);
}

}  // namespace

rt::Task<Reply> offset_commit(Broker& broker, RequestContext& context, SharedBytes body) {
  return serve<Request, Response, handle>(broker, context, std::move(body));
}

}  // namespace weir::broker::handlers
