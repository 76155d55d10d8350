// The one table from our outcomes to Kafka's error codes.
//
// The same trouble needs another code in each API: it must be one that this API's clients know, and
// one that makes them do the right thing: try again where trying again helps, never give up for a
// passing store fault. UNKNOWN_SERVER_ERROR is for bugs.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "broker/kafka_error.h"
#include "state/refusal.h"

namespace weir::broker {

/// APIs whose clients react alike.
enum class ApiClass : std::uint8_t {
  produce,
  fetch,        // also ListOffsets and OffsetForLeaderEpoch
  metadata,     // per topic
  admin,        // topics, partitions, configs, records
  coordinator,  // FindCoordinator, InitProducerId, groups, transactions
};
inline constexpr int kApiClasses = 5;

KafkaError to_kafka(ApiClass api, state::Refusal refusal);
KafkaError to_kafka(ApiClass api, ErrorCode failure);

}  // namespace weir::broker
