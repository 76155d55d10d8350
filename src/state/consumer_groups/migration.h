// What members of the classic protocol in a consumer group are given; for the engine.
#pragma once

#include "base/bytes.h"
#include "state/consumer_groups/member.h"

namespace weir::state {

/// What the member holds, as a SyncGroup answers it.
SharedBytes classic_assignment(const Catalog& topics, const ConsumerMember& member);

}  // namespace weir::state
