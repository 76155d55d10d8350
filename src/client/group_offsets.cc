#include "client/group_offsets.h"

namespace weir::client {
namespace {

/// Topics are named by id from version 10 on.
constexpr std::int16_t kNamesVersionMax = 9;
/// Several groups are asked for at once from version 8 on.
constexpr std::int16_t kOneGroupVersionMax = 7;

}  // namespace

rt::Task<Result<PartitionCodes>> commit_offsets(GroupClient& group, CommitterIdentity who,
                                                std::map<TopicPartition, Offset> offsets,
                                                MonoTime deadline) {
  wire::OffsetCommitRequest request;
  request.group_id = group.group();
  request.generation_id_or_member_epoch = who.generation;
  request.member_id = std::move(who.member_id);
  for (const auto& [at, offset] : offsets) {
    if (request.topics.empty() || request.topics.back().name != at.topic)
      request.topics.emplace_back().name = at.topic;
    request.topics.back().partitions.push_back({.partition_index = at.partition.value,
                                                .committed_offset = offset.value,
                                                .committed_metadata = ""});
  }
  // The coordinator says that it is not one in every partition.
  auto answer = co_await group.call(std::move(request),
                                    {.deadline = deadline, .version_max = kNamesVersionMax},
                                    [](const wire::OffsetCommitResponse& response) {
                                      for (const auto& topic : response.topics)
                                        for (const auto& partition : topic.partitions)
                                          if (partition.error_code != 0)
                                            return partition.error_code;
                                      return std::int16_t{0};
                                    });
  if (!answer) co_return std::unexpected(answer.error());
  PartitionCodes codes;
  for (const auto& topic : answer->topics)
    for (const auto& partition : topic.partitions)
      codes.emplace_back(TopicPartition{topic.name, PartitionIndex(partition.partition_index)},
                         partition.error_code);
  co_return codes;
}

rt::Task<Result<std::map<TopicPartition, Offset>>> fetch_offsets(GroupClient& group,
                                                                 MonoTime deadline) {
  wire::OffsetFetchRequest request;
  request.group_id = group.group();
  request.topics.reset();
  request.require_stable = true;
  auto answer = co_await group.call(
      std::move(request), {.deadline = deadline, .version_max = kOneGroupVersionMax},
      [](const wire::OffsetFetchResponse& response) { return response.error_code; });
  if (!answer) co_return std::unexpected(answer.error());
  if (answer->error_code != 0) co_return std::unexpected(to_error(answer->error_code));
  std::map<TopicPartition, Offset> offsets;
  for (const auto& topic : answer->topics)
    for (const auto& partition : topic.partitions) {
      if (partition.error_code != 0) co_return std::unexpected(to_error(partition.error_code));
      if (partition.committed_offset >= 0)
        offsets[{topic.name, PartitionIndex(partition.partition_index)}] =
            Offset(partition.committed_offset);
    }
  co_return offsets;
}

}  // namespace weir::client
