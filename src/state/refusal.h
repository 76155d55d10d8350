// Why the fold, or the engine on its behalf, did not do what a command asked. Mapped to Kafka's
// codes in broker/.
#pragma once

#include <cstdint>
#include <string_view>

namespace weir::state {

enum class Refusal : std::uint8_t {
  none = 0,
  malformed,             // does not decode, or breaks a rule that every proposer checks first
  unsupported_level,     // unknown at the cluster's feature level
  not_registered,        // its incarnation is not, or no longer, registered
  stale_registration,    // a registration made before the last forgetting
  unknown_topic,         // no such topic id or name
  unknown_partition,     // the topic has fewer partitions
  topic_exists,          // the name is taken
  topic_name_collision,  // equal to another name but for '.' and '_'
  invalid_partitions,    // count not above the present one, or over the limit
  guard_mismatch,        // the guarded thing has changed since the proposer looked
  duplicate,             // of a remembered batch: a success with the original offset
  duplicate_forgotten,   // a duplicate whose offset is no longer known: a success without an offset
  out_of_order_sequence,   // a gap in the producer's sequence
  unknown_producer,        // no state for the producer here, and the sequence is not 0
  invalid_producer_epoch,  // an older epoch than the state knows
  born_before_horizon,     // the segment may already be collected: upload again under a new name
  offset_out_of_range,     // beyond the end of the partition
  not_found,               // any other thing that is gone
  limit_reached,           // a limit of the state
};

std::string_view to_string(Refusal refusal);

}  // namespace weir::state
