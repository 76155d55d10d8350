// What members of a classic consumer group tell each other through the broker: which topics they
// want, and which partitions each gets. Kafka's "consumer" protocol: a version, then a message.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "client/consumer.h"

namespace weir::client {

SharedBytes encode_subscription(const std::vector<std::string>& topics);
/// The topics; versions above ours are read as far as we know them. Errors: corrupt.
Result<std::vector<std::string>> decode_subscription(const SharedBytes& bytes);

SharedBytes encode_assignment(const std::vector<TopicPartition>& partitions);
/// Nothing at all is no partitions. Errors: corrupt.
Result<std::vector<TopicPartition>> decode_assignment(const SharedBytes& bytes);

/// Topics by member, and the number of partitions of each topic.
using Subscriptions = std::map<std::string, std::vector<std::string>>;
using PartitionCounts = std::map<std::string, std::size_t>;
using Assignments = std::map<std::string, std::vector<TopicPartition>>;

/// Kafka's range assignor: of each topic, its members in the order of their ids get one run of
/// partitions each, and the first ones get one more where it does not come out even.
Assignments assign_ranges(const Subscriptions& members, const PartitionCounts& topics);

}  // namespace weir::client
