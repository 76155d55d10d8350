// Checks of one option value by its kind.
#pragma once

#include <string_view>

#include "base/result.h"
#include "cli/option_table.h"

namespace weir::cli {

/// Errors: invalid_argument: what is wrong with `value` and what would be right.
Result<void> check_value(const OptionSpec& option, std::string_view value);

}  // namespace weir::cli
