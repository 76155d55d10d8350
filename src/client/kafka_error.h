// Kafka's error codes, as a client reads them: a name for people, and what to do about each.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace weir::client {

/// The codes that the client treats by name; all others are handled by their traits alone.
enum class KafkaCode : std::int16_t {
  none = 0,
  offset_out_of_range = 1,
  unknown_topic_or_partition = 3,
  coordinator_load_in_progress = 14,
  coordinator_not_available = 15,
  not_coordinator = 16,
  illegal_generation = 22,
  unknown_member_id = 25,
  rebalance_in_progress = 27,
  unsupported_version = 35,
  topic_already_exists = 36,
  out_of_order_sequence_number = 45,
  duplicate_sequence_number = 46,
  unknown_producer_id = 59,
  group_id_not_found = 69,
  member_id_required = 79,
};

struct KafkaErrorTraits {
  std::int16_t code = 0;
  std::string_view name;
  /// The same request may succeed later.
  bool retriable = false;
  /// What the client knows of the cluster may be out of date.
  bool refresh_metadata = false;
  /// How the error travels in our own terms.
  ErrorCode as = ErrorCode::internal;
};

/// Unknown codes get a name with their number and are not retriable.
KafkaErrorTraits traits_of(std::int16_t code);

inline bool is(std::int16_t code, KafkaCode which) {
  return code == static_cast<std::int16_t>(which);
}

/// "NAME: message"; `message` is the broker's, if it sent one.
Error to_error(std::int16_t code, const std::optional<std::string>& message = std::nullopt);

}  // namespace weir::client
