// Shell completion scripts. They list the commands by their words, the options of each command, and
// the values of options that have a fixed set; names of topics are not asked from a broker.
#include <set>
#include <vector>

#include "cli/help.h"

namespace weir::cli {
namespace {

std::vector<std::string_view> words_of(std::string_view path) {
  std::vector<std::string_view> words;
  while (!path.empty()) {
    std::size_t space = path.find(' ');
    words.push_back(path.substr(0, space));
    path = space == std::string_view::npos ? std::string_view() : path.substr(space + 1);
  }
  return words;
}

std::string option_words(const CommandSpec& command) {
  std::string out;
  for (std::span<const OptionSpec> table : {command.options, command.common})
    for (const OptionSpec& option : table) out.append("--").append(option.name).append(" ");
  return out.append("--help");
}

std::string with_spaces(std::string_view choices) {
  std::string out(choices);
  for (char& c : out)
    if (c == '|') c = ' ';
  return out;
}

/// The next words after each prefix of a command path: "" -> "broker topic …".
std::vector<std::pair<std::string, std::set<std::string>>> next_words(
    std::span<const CommandSpec* const> commands) {
  std::vector<std::pair<std::string, std::set<std::string>>> result;
  for (const CommandSpec* command : commands) {
    std::string prefix;
    for (std::string_view word : words_of(command->path)) {
      std::set<std::string>* words = nullptr;
      for (auto& [known, next] : result)
        if (known == prefix) words = &next;
      if (!words) words = &result.emplace_back(prefix, std::set<std::string>()).second;
      words->insert(std::string(word));
      prefix.append(prefix.empty() ? "" : " ").append(word);
    }
  }
  return result;
}

std::string joined(const std::set<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out.append(out.empty() ? "" : " ").append(word);
  return out;
}

/// Every option with a fixed set of values, once.
std::string value_cases(std::span<const CommandSpec* const> commands) {
  std::string out;
  std::set<std::string_view> seen;
  for (const CommandSpec* command : commands)
    for (std::span<const OptionSpec> table : {command->options, command->common})
      for (const OptionSpec& option : table) {
        if (option.choices.empty() || !seen.insert(option.name).second) continue;
        out.append("    --").append(option.name).append(") words='");
        out.append(with_spaces(option.choices)).append("' ;;\n");
      }
  return out;
}

}  // namespace

std::string bash_completion(std::span<const CommandSpec* const> commands) {
  std::string out =
      "# bash completion for weir: source <(weir completion bash)\n"
      "_weir() {\n"
      "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} path='' "
      "words='' i\n"
      "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
      "    case ${COMP_WORDS[i]} in -*) break ;; esac\n"
      "    path=\"${path:+$path }${COMP_WORDS[i]}\"\n"
      "  done\n"
      "  case $previous in\n";
  out.append(value_cases(commands));
  out.append("  esac\n  if [ -z \"$words\" ]; then\n    case $path in\n");
  for (const CommandSpec* command : commands) {
    // Names may follow the path of a command.
    out.append("      '").append(command->path).append("' | '").append(command->path);
    out.append(" '*) words='").append(option_words(*command)).append("' ;;\n");
  }
  for (const auto& [prefix, words] : next_words(commands))
    out.append("      '")
        .append(prefix)
        .append("') words='")
        .append(joined(words))
        .append("' ;;\n");
  out.append(
      "    esac\n  fi\n"
      "  COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
      "}\n"
      "complete -o default -F _weir weir\n");
  return out;
}

std::string zsh_completion(std::span<const CommandSpec* const> commands) {
  // zsh runs bash completion functions itself.
  return "#compdef weir\n# zsh completion for weir: source <(weir completion zsh)\n"
         "autoload -U +X bashcompinit && bashcompinit\n" +
         bash_completion(commands);
}

std::string fish_completion(std::span<const CommandSpec* const> commands) {
  std::string out =
      "# fish completion for weir: weir completion fish | source\ncomplete -c weir -f\n";
  for (const auto& [prefix, words] : next_words(commands)) {
    std::string condition = prefix.empty()
                                ? "__fish_use_subcommand"
                                : "__fish_seen_subcommand_from " + prefix +
                                      "; and not __fish_seen_subcommand_from " + joined(words);
    out.append("complete -c weir -n '").append(condition).append("' -a '");
    out.append(joined(words)).append("'\n");
  }
  for (const CommandSpec* command : commands) {
    std::string condition;
    for (std::string_view word : words_of(command->path))
      condition.append(condition.empty() ? "" : "; and ")
          .append("__fish_seen_subcommand_from ")
          .append(word);
    for (std::span<const OptionSpec> table : {command->options, command->common})
      for (const OptionSpec& option : table) {
        out.append("complete -c weir -n '").append(condition).append("' -l ").append(option.name);
        if (option.kind != OptionKind::flag) out.append(" -r");
        if (!option.choices.empty())
          out.append(" -a '").append(with_spaces(option.choices)).append("'");
        out.append("\n");
      }
  }
  return out;
}

}  // namespace weir::cli
