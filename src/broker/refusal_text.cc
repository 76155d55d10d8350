#include "broker/refusal_text.h"

#include "state/limits.h"

namespace weir::broker {
namespace {

std::string group_refusal_text(state::Refusal refusal) {
  using R = state::Refusal;
  switch (refusal) {
    case R::group_not_found: return "There is no such group; list the groups to see what there is.";
    case R::unknown_member:
      return "The group does not know this member, which may have been silent for too long; join "
             "again.";
    case R::fenced_instance:
      return "Another member has taken this group.instance.id; stop one of the two, or give it "
             "another id.";
    case R::illegal_generation:
      return "The group has rebalanced since this member's generation; join again.";
    case R::rebalance_in_progress: return "The group is rebalancing; join again.";
    case R::inconsistent_protocol:
      return "The group's members share no protocol with this one; give all members of the group "
             "a common assignment strategy.";
    case R::group_full:
      return "The group has as many members as it may have; start fewer, or raise the limit on "
             "the size of groups.";
    case R::group_not_empty: return "The group has members; stop them first.";
    case R::group_reads_topic:
      return "The group is subscribed to the topic; stop its members first.";
    case R::stale_member_epoch:
      return "The member's epoch is an older one; send a heartbeat, then try again with the epoch "
             "of its answer.";
    case R::fenced_member_epoch:
      return "The member's epoch is not the group's; give up all partitions and join again.";
    case R::unreleased_instance:
      return "Another member holds this group.instance.id; stop it, or choose another id.";
    case R::unsupported_assignor:
      return "The broker has no such assignor; choose one that group.consumer.assignors names.";
    case R::group_exists:
      return "A group of another type has this id; choose another id, or delete that group.";
    default: break;
  }
  return "The cluster refused the request for a reason that this version does not know.";
}

}  // namespace

std::string refusal_text(state::Refusal refusal) {
  using R = state::Refusal;
  switch (refusal) {
    case R::none: return "";
    case R::malformed:
      return "The cluster could not understand the request; if all brokers run the same version, "
             "please report it.";
    case R::unsupported_level:
      return "A broker of the cluster is too old for this; upgrade all brokers, then try again.";
    case R::not_registered:
    case R::stale_registration:
      return "This broker is just joining the cluster again; try again, or at another broker.";
    case R::unknown_topic:
      return "There is no such topic; it may have been deleted. List the topics to see what there "
             "is.";
    case R::unknown_partition:
      return "The topic has no such partition; describe the topic to see how many it has.";
    case R::topic_exists: return "The topic exists already; delete it first, or use it as it is.";
    case R::topic_name_collision:
      return "A topic exists whose name differs only in '.' and '_', which metrics cannot tell "
             "apart; choose another name.";
    case R::invalid_partitions:
      return "A topic has at least one partition, never fewer than before, and at most " +
             std::to_string(state::kPartitionsPerTopicMax) +
             "; describe the topic, and ask for more than it has.";
    case R::guard_mismatch:
      return "Somebody else changed it at the same time; read it again, then try again.";
    case R::duplicate: return "The batch was appended before; nothing is to be done.";
    case R::duplicate_forgotten:
      return "The batch was appended before, and its offset is no longer remembered; nothing is to "
             "be done.";
    case R::out_of_order_sequence:
      return "A batch of this producer that comes before this one is missing; the producer must "
             "send it first, or start anew with another epoch.";
    case R::unknown_producer:
      return "Nothing is remembered of this producer in this partition, and the batch is not its "
             "first; the producer must go on with a new epoch or id.";
    case R::invalid_producer_epoch:
      return "Another producer with the same id has a newer epoch; this one must stop, or ask for "
             "a new id.";
    case R::born_before_horizon: return "The upload took too long and must be repeated; try again.";
    case R::offset_out_of_range:
      return "The offset lies outside of the partition; list its offsets and choose one between "
             "them.";
    case R::not_found: return "There is no such thing in the cluster; list what there is.";
    case R::limit_reached:
      return "A limit of the cluster is reached; delete what is no longer needed, or try again "
             "later.";
    default: return group_refusal_text(refusal);
  }
}

}  // namespace weir::broker
