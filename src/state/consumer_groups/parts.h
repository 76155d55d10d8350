// What the folds of consumer groups share. Private to this layer.
#pragma once

#include "state/consumer_groups/heartbeat.h"
#include "state/fold.h"
#include "state/groups/group_table.h"

namespace weir::state {

/// Valid as long as the tables are not changed.
TopicNameOf topic_names(const Tables& tables);

/// Whether the limits of the state leave room for it.
bool fits(const FoldContext& context, const ConsumerGroup& group, const HeartbeatEffect& effect);
/// Puts what `judge` said into the group. `member` is the id of whom it is about.
void apply_effect(FoldContext& context, Slot group, HeartbeatEffect effect);
/// Takes the member out: the group needs a new assignment for the others.
void drop_consumer(FoldContext& context, Slot group, const std::string& id);
/// The member is alive at the entry's position.
void sign_consumer(FoldContext& context, Slot group, std::string_view id);

/// Turns a classic group of consumers, which has members, into one of the consumer protocol: their
/// generation becomes the epoch, their assignments what they hold. Refused where a member does not
/// speak the embedded protocol.
Refusal upgrade_group(FoldContext& context, Slot group);

}  // namespace weir::state
