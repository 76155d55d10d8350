#include "state/refusal.h"

namespace weir::state {

std::string_view to_string(Refusal refusal) {
  switch (refusal) {
    case Refusal::none: return "none";
    case Refusal::malformed: return "malformed";
    case Refusal::unsupported_level: return "unsupported_level";
    case Refusal::not_registered: return "not_registered";
    case Refusal::stale_registration: return "stale_registration";
    case Refusal::unknown_topic: return "unknown_topic";
    case Refusal::unknown_partition: return "unknown_partition";
    case Refusal::topic_exists: return "topic_exists";
    case Refusal::topic_name_collision: return "topic_name_collision";
    case Refusal::invalid_partitions: return "invalid_partitions";
    case Refusal::guard_mismatch: return "guard_mismatch";
    case Refusal::duplicate: return "duplicate";
    case Refusal::duplicate_forgotten: return "duplicate_forgotten";
    case Refusal::out_of_order_sequence: return "out_of_order_sequence";
    case Refusal::unknown_producer: return "unknown_producer";
    case Refusal::invalid_producer_epoch: return "invalid_producer_epoch";
    case Refusal::born_before_horizon: return "born_before_horizon";
    case Refusal::offset_out_of_range: return "offset_out_of_range";
    case Refusal::not_found: return "not_found";
    case Refusal::limit_reached: return "limit_reached";
    case Refusal::group_not_found: return "group_not_found";
    case Refusal::unknown_member: return "unknown_member";
    case Refusal::fenced_instance: return "fenced_instance";
    case Refusal::illegal_generation: return "illegal_generation";
    case Refusal::rebalance_in_progress: return "rebalance_in_progress";
    case Refusal::inconsistent_protocol: return "inconsistent_protocol";
    case Refusal::group_full: return "group_full";
    case Refusal::group_not_empty: return "group_not_empty";
    case Refusal::group_reads_topic: return "group_reads_topic";
    case Refusal::stale_member_epoch: return "stale_member_epoch";
    case Refusal::fenced_member_epoch: return "fenced_member_epoch";
    case Refusal::unreleased_instance: return "unreleased_instance";
    case Refusal::unsupported_assignor: return "unsupported_assignor";
    case Refusal::group_exists: return "group_exists";
  }
  return "unknown";
}

}  // namespace weir::state
