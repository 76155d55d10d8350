// What a refusal of the state means, in a sentence for the person who reads it at a client: what is
// wrong, and what to do.
#pragma once

#include <string>

#include "state/refusal.h"

namespace weir::broker {

std::string refusal_text(state::Refusal refusal);

}  // namespace weir::broker
