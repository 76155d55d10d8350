// Help and shell completion, rendered from the option tables.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "cli/option_table.h"

namespace weir::cli {

/// `weir COMMAND --help`.
std::string command_help(const CommandSpec& command);
/// `weir --help`: all commands with their summaries.
std::string program_help(std::span<const CommandSpec* const> commands);

/// `weir topic --help`: the commands that begin with that word.
std::string group_help(std::string_view word, std::span<const CommandSpec* const> commands);

/// Completion scripts for `weir completion bash|zsh|fish`.
std::string bash_completion(std::span<const CommandSpec* const> commands);
std::string zsh_completion(std::span<const CommandSpec* const> commands);
std::string fish_completion(std::span<const CommandSpec* const> commands);

}  // namespace weir::cli
