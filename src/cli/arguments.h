// Arguments: the words of a command line, sorted into options and names by a command's table.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/option_table.h"

namespace weir::cli {

struct Arguments {
  struct Given {
    const OptionSpec* option = nullptr;
    std::string value;
  };
  std::vector<Given> options;
  std::vector<std::string> positionals;
  /// --help or -h was among them; nothing else has been checked then.
  bool help = false;
};

/// `--name value`, `--name=value`, `--flag`, `--` ends the options. Values are checked later, where
/// all sources meet (settings.h). Errors: invalid_argument, with what to do.
Result<Arguments> parse_arguments(const CommandSpec& command, std::span<const std::string> words);

/// The command that the leading words name, and how many words that took. Null when the words name
/// none: an empty line, an option, or an unknown word.
struct FoundCommand {
  const CommandSpec* command = nullptr;
  std::size_t words = 0;
};
FoundCommand find_command(std::span<const CommandSpec* const> commands,
                          std::span<const std::string> words);

}  // namespace weir::cli
