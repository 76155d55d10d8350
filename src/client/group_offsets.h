// Committed offsets of a group: read all, write some.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "client/consumer.h"
#include "client/group_client.h"

namespace weir::client {

/// Who commits: a member of a generation, or nobody, which only a group without members allows.
struct CommitterIdentity {
  std::int32_t generation = -1;
  std::string member_id;
};

using PartitionCodes = std::vector<std::pair<TopicPartition, std::int16_t>>;

/// Kafka's code for each partition. Errors: those of a call.
rt::Task<Result<PartitionCodes>> commit_offsets(GroupClient& group, CommitterIdentity who,
                                                std::map<TopicPartition, Offset> offsets,
                                                MonoTime deadline);

/// All that is committed. Errors: those of a call, and what the coordinator refuses.
rt::Task<Result<std::map<TopicPartition, Offset>>> fetch_offsets(GroupClient& group,
                                                                 MonoTime deadline);

}  // namespace weir::client
