// The option table of `weir broker`: the contract that scripts and tests rely on.
#pragma once

#include "cli/option_table.h"

namespace weir::app {

const cli::CommandSpec& broker_command();

}  // namespace weir::app
