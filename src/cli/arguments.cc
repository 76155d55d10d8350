#include "cli/arguments.h"

namespace weir::cli {
namespace {

std::unexpected<Error> wrong(std::string message) {
  return fail(ErrorCode::invalid_argument, std::move(message));
}

std::unexpected<Error> unknown_option(const CommandSpec& command, std::string_view name) {
  std::vector<std::string_view> names;
  for (std::span<const OptionSpec> table : {command.options, command.common})
    for (const OptionSpec& option : table) names.push_back(option.name);
  std::string message = "there is no option --" + std::string(name);
  std::string_view meant = closest(name, names);
  if (!meant.empty()) message.append("; did you mean --").append(meant).append("?");
  return wrong(std::move(message));
}

Result<void> check_positionals(const CommandSpec& command, const Arguments& arguments) {
  std::size_t count = arguments.positionals.size();
  if (count < command.positionals_min)
    return wrong("it needs " + std::string(command.positionals) + ", which is missing");
  if (count > command.positionals_max)
    return wrong("'" + arguments.positionals[command.positionals_max] +
                 "' is one word too many; options begin with --");
  return {};
}

}  // namespace

Result<Arguments> parse_arguments(const CommandSpec& command, std::span<const std::string> words) {
  Arguments arguments;
  bool options_ended = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (!options_ended && (word == "--help" || word == "-h")) {
      arguments.help = true;
      return arguments;
    }
    if (!options_ended && word == "--") {
      options_ended = true;
      continue;
    }
    if (options_ended || !word.starts_with('-') || word == "-") {
      arguments.positionals.push_back(word);
      continue;
    }
    if (!word.starts_with("--"))
      return wrong("'" + word +
                   "' is no option; all options but -h are written in full, as --name");
    std::size_t equals = word.find('=');
    std::string name = word.substr(2, equals == std::string::npos ? equals : equals - 2);
    const OptionSpec* option = command.find(name);
    if (!option) return unknown_option(command, name);
    if (equals != std::string::npos) {
      arguments.options.push_back({option, word.substr(equals + 1)});
    } else if (option->kind == OptionKind::flag) {
      arguments.options.push_back({option, "true"});
    } else if (i + 1 < words.size()) {
      arguments.options.push_back({option, words[++i]});
    } else {
      return wrong("--" + name + " needs a value: --" + name + " " +
                   std::string(option->value_name));
    }
  }
  WEIR_TRY(check_positionals(command, arguments));
  return arguments;
}

FoundCommand find_command(std::span<const CommandSpec* const> commands,
                          std::span<const std::string> words) {
  FoundCommand found;
  for (const CommandSpec* command : commands) {
    std::string_view path = command->path;
    std::size_t used = 0;
    bool matches = true;
    while (matches && !path.empty()) {
      std::size_t space = path.find(' ');
      std::string_view part = path.substr(0, space);
      path = space == std::string_view::npos ? std::string_view() : path.substr(space + 1);
      matches = used < words.size() && words[used] == part;
      ++used;
    }
    if (matches && used > found.words) found = {command, used};
  }
  return found;
}

}  // namespace weir::cli
