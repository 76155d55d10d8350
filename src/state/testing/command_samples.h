// One sample of each command, with a value in every field: for golden bytes and fuzz seeds.
#pragma once

#include <string>
#include <vector>

#include "state/entry.h"

namespace weir::state::testing {

struct CommandSample {
  std::string name;
  EncodedCommand command;
};

/// In the order of their types, encoded at feature level 1.
std::vector<CommandSample> command_samples();

}  // namespace weir::state::testing
