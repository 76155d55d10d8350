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
  group_not_found,         // no group of that id, or of another kind than the command is for
  unknown_member,          // no such member in the group
  fenced_instance,         // another process has the instance id now
  illegal_generation,      // not the group's present generation
  rebalance_in_progress,   // the group is between two generations
  inconsistent_protocol,   // no protocol in common with the group
  group_full,              // the greatest number of members
  group_not_empty,         // it has members
  group_reads_topic,       // a member is subscribed to the topic
  stale_member_epoch,      // not the member's present epoch
  fenced_member_epoch,     // an epoch that the member never had, or of a member that was fenced
  unreleased_instance,     // the instance id is held by a member that has not left
  unsupported_assignor,    // nobody knows this assignor
  group_exists,            // of another kind
};

std::string_view to_string(Refusal refusal);

}  // namespace weir::state
