// The two kinds of text files that options come from.
#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/settings.h"

namespace weir::app {

/// Lines `key=value` (spaces around both do not count); `#` and `!` begin a comment line; empty
/// lines are skipped. Errors: invalid_argument with `file_name` and the line.
Result<std::vector<cli::FileEntry>> parse_properties(std::string_view text,
                                                     std::string_view file_name);

/// Lines `NAME=value`, also with `export` before and quotes around the value; `#` begins a comment
/// line. Such files often belong to other programs too, so a strange line is an error only when it
/// names something of ours. Errors: invalid_argument with the line.
Result<cli::Environment> parse_dotenv(std::string_view text);

/// `entries` in the terms of `command`: dotted keys are Kafka options and become values of "set".
/// Errors: invalid_argument for a key that is neither.
Result<std::vector<cli::FileEntry>> file_options(const cli::CommandSpec& command,
                                                 std::vector<cli::FileEntry> entries,
                                                 std::string_view file_name);

}  // namespace weir::app
