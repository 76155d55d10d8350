#include "client/kafka_error.h"

namespace weir::client {
namespace {

constexpr bool kRetry = true;
constexpr bool kRefresh = true;

// Names and retriability are Kafka's public protocol facts.
constexpr KafkaErrorTraits kTraits[] = {
    {-1, "UNKNOWN_SERVER_ERROR", false, false, ErrorCode::internal},
    {1, "OFFSET_OUT_OF_RANGE", false, false, ErrorCode::not_found},
    {2, "CORRUPT_MESSAGE", kRetry, false, ErrorCode::corrupt},
    {3, "UNKNOWN_TOPIC_OR_PARTITION", kRetry, kRefresh, ErrorCode::not_found},
    {5, "LEADER_NOT_AVAILABLE", kRetry, kRefresh, ErrorCode::unavailable},
    {6, "NOT_LEADER_OR_FOLLOWER", kRetry, kRefresh, ErrorCode::unavailable},
    {7, "REQUEST_TIMED_OUT", kRetry, false, ErrorCode::timed_out},
    {8, "BROKER_NOT_AVAILABLE", kRetry, kRefresh, ErrorCode::unavailable},
    {9, "REPLICA_NOT_AVAILABLE", kRetry, kRefresh, ErrorCode::unavailable},
    {10, "MESSAGE_TOO_LARGE", false, false, ErrorCode::too_large},
    {13, "NETWORK_EXCEPTION", kRetry, kRefresh, ErrorCode::unavailable},
    {14, "COORDINATOR_LOAD_IN_PROGRESS", kRetry, false, ErrorCode::unavailable},
    {15, "COORDINATOR_NOT_AVAILABLE", kRetry, false, ErrorCode::unavailable},
    {16, "NOT_COORDINATOR", kRetry, false, ErrorCode::unavailable},
    {17, "INVALID_TOPIC_EXCEPTION", false, false, ErrorCode::invalid_argument},
    {18, "RECORD_LIST_TOO_LARGE", false, false, ErrorCode::too_large},
    {19, "NOT_ENOUGH_REPLICAS", kRetry, kRefresh, ErrorCode::unavailable},
    {20, "NOT_ENOUGH_REPLICAS_AFTER_APPEND", kRetry, kRefresh, ErrorCode::unavailable},
    {21, "INVALID_REQUIRED_ACKS", false, false, ErrorCode::invalid_argument},
    {22, "ILLEGAL_GENERATION", false, false, ErrorCode::precondition},
    {23, "INCONSISTENT_GROUP_PROTOCOL", false, false, ErrorCode::invalid_argument},
    {24, "INVALID_GROUP_ID", false, false, ErrorCode::invalid_argument},
    {25, "UNKNOWN_MEMBER_ID", false, false, ErrorCode::precondition},
    {26, "INVALID_SESSION_TIMEOUT", false, false, ErrorCode::invalid_argument},
    {27, "REBALANCE_IN_PROGRESS", false, false, ErrorCode::precondition},
    {29, "TOPIC_AUTHORIZATION_FAILED", false, false, ErrorCode::configuration},
    {30, "GROUP_AUTHORIZATION_FAILED", false, false, ErrorCode::configuration},
    {31, "CLUSTER_AUTHORIZATION_FAILED", false, false, ErrorCode::configuration},
    {32, "INVALID_TIMESTAMP", false, false, ErrorCode::invalid_argument},
    {35, "UNSUPPORTED_VERSION", false, false, ErrorCode::unsupported},
    {36, "TOPIC_ALREADY_EXISTS", false, false, ErrorCode::already_exists},
    {37, "INVALID_PARTITIONS", false, false, ErrorCode::invalid_argument},
    {38, "INVALID_REPLICATION_FACTOR", false, false, ErrorCode::invalid_argument},
    {39, "INVALID_REPLICA_ASSIGNMENT", false, false, ErrorCode::invalid_argument},
    {40, "INVALID_CONFIG", false, false, ErrorCode::invalid_argument},
    {41, "NOT_CONTROLLER", kRetry, kRefresh, ErrorCode::unavailable},
    {42, "INVALID_REQUEST", false, false, ErrorCode::invalid_argument},
    {43, "UNSUPPORTED_FOR_MESSAGE_FORMAT", false, false, ErrorCode::unsupported},
    {44, "POLICY_VIOLATION", false, false, ErrorCode::configuration},
    {45, "OUT_OF_ORDER_SEQUENCE_NUMBER", false, false, ErrorCode::precondition},
    {46, "DUPLICATE_SEQUENCE_NUMBER", false, false, ErrorCode::already_exists},
    {47, "INVALID_PRODUCER_EPOCH", false, false, ErrorCode::precondition},
    {51, "CONCURRENT_TRANSACTIONS", kRetry, false, ErrorCode::unavailable},
    {56, "KAFKA_STORAGE_ERROR", kRetry, kRefresh, ErrorCode::unavailable},
    {58, "SASL_AUTHENTICATION_FAILED", false, false, ErrorCode::configuration},
    {59, "UNKNOWN_PRODUCER_ID", false, false, ErrorCode::precondition},
    {60, "REASSIGNMENT_IN_PROGRESS", false, false, ErrorCode::unavailable},
    {68, "NON_EMPTY_GROUP", false, false, ErrorCode::precondition},
    {69, "GROUP_ID_NOT_FOUND", false, false, ErrorCode::not_found},
    {74, "FENCED_LEADER_EPOCH", kRetry, kRefresh, ErrorCode::unavailable},
    {75, "UNKNOWN_LEADER_EPOCH", kRetry, kRefresh, ErrorCode::unavailable},
    {76, "UNSUPPORTED_COMPRESSION_TYPE", false, false, ErrorCode::unsupported},
    {78, "OFFSET_NOT_AVAILABLE", kRetry, false, ErrorCode::unavailable},
    {79, "MEMBER_ID_REQUIRED", false, false, ErrorCode::precondition},
    {81, "GROUP_MAX_SIZE_REACHED", false, false, ErrorCode::too_large},
    {82, "FENCED_INSTANCE_ID", false, false, ErrorCode::precondition},
    {84, "ELECTION_NOT_NEEDED", false, false, ErrorCode::already_exists},
    {87, "INVALID_RECORD", false, false, ErrorCode::invalid_argument},
    {88, "UNSTABLE_OFFSET_COMMIT", kRetry, false, ErrorCode::unavailable},
    {89, "THROTTLING_QUOTA_EXCEEDED", kRetry, false, ErrorCode::unavailable},
    {100, "UNKNOWN_TOPIC_ID", kRetry, kRefresh, ErrorCode::not_found},
    {103, "INCONSISTENT_TOPIC_ID", kRetry, kRefresh, ErrorCode::not_found},
};

}  // namespace

KafkaErrorTraits traits_of(std::int16_t code) {
  for (const KafkaErrorTraits& traits : kTraits)
    if (traits.code == code) return traits;
  return {.code = code, .name = {}};
}

Error to_error(std::int16_t code, const std::optional<std::string>& message) {
  KafkaErrorTraits traits = traits_of(code);
  std::string text =
      traits.name.empty() ? "Kafka error " + std::to_string(code) : std::string(traits.name);
  if (message && !message->empty()) text.append(": ").append(*message);
  return {traits.as, std::move(text)};
}

}  // namespace weir::client
