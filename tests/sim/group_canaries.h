// The canaries that spoil commands about groups on their way into the log.
#pragma once

#include "rt/random.h"
#include "state/command.h"
#include "state/state.h"
#include "tests/sim/canary.h"

namespace weir::sim {

bool spoils_groups(Canary canary);
/// `state`: before the command. True if the command was changed.
bool spoil_group_command(Canary canary, const state::State& state, state::EncodedCommand& encoded,
                         rt::Random& random);

}  // namespace weir::sim
