#include "cli/help.h"

#include <algorithm>

namespace weir::cli {
namespace {

constexpr std::size_t kColumnsMax = 100;
constexpr std::size_t kHelpColumn = 8;

/// `text` broken at spaces, each line after `indent` spaces.
void append_wrapped(std::string& out, std::string_view text, std::size_t indent) {
  std::size_t column = 0;
  while (!text.empty()) {
    std::size_t space = text.find(' ');
    std::string_view word = text.substr(0, space);
    if (column != 0 && column + 1 + word.size() > kColumnsMax) {
      out.push_back('\n');
      column = 0;
    }
    if (column == 0) {
      out.append(indent, ' ');
      column = indent;
    } else {
      out.push_back(' ');
      ++column;
    }
    out.append(word);
    column += word.size();
    text = space == std::string_view::npos ? std::string_view() : text.substr(space + 1);
  }
  out.push_back('\n');
}

void append_option(std::string& out, const OptionSpec& option) {
  out.append("  --").append(option.name);
  if (option.kind != OptionKind::flag) out.append(" ").append(option.value_name);
  out.push_back('\n');
  std::string text(option.help);
  if (option.repeat != Repeat::last) text.append(" May be repeated.");
  std::string_view fallback = option.fallback.empty() ? option.fallback_note : option.fallback;
  if (!fallback.empty() && option.kind != OptionKind::flag)
    text.append(" Default: ").append(fallback).append(".");
  if (option.from_environment) text.append(" [").append(environment_name(option)).append("]");
  append_wrapped(out, text, kHelpColumn);
}

void append_options(std::string& out, std::string_view title, std::span<const OptionSpec> options) {
  if (options.empty()) return;
  out.append("\n").append(title).append(":\n");
  for (const OptionSpec& option : options) append_option(out, option);
}

void append_lines(std::string& out, std::string_view text, std::string_view prefix) {
  while (!text.empty()) {
    std::size_t end = text.find('\n');
    out.append(prefix).append(text.substr(0, end)).append("\n");
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
}

void append_commands(std::string& out, std::span<const CommandSpec* const> commands) {
  std::size_t width = 0;
  for (const CommandSpec* command : commands) width = std::max(width, command->path.size());
  out.append("commands:\n");
  for (const CommandSpec* command : commands) {
    out.append("  ").append(command->path);
    out.append(width - command->path.size() + 2, ' ');
    out.append(command->summary).append("\n");
  }
}

}  // namespace

std::string command_help(const CommandSpec& command) {
  std::string out = "usage: weir " + std::string(command.path);
  if (!command.positionals.empty()) out.append(" ").append(command.positionals);
  out.append(" [OPTION…]\n\n").append(command.summary).append("\n");
  if (!command.description.empty()) {
    out.push_back('\n');
    append_lines(out, command.description, "");
  }
  append_options(out, "options", command.options);
  append_options(out, "common options", command.common);
  out.append("\n  -h, --help\n");
  append_wrapped(out, "Show this text.", kHelpColumn);
  if (!command.examples.empty()) {
    out.append("\nexamples:\n");
    append_lines(out, command.examples, "  ");
  }
  return out;
}

std::string group_help(std::string_view word, std::span<const CommandSpec* const> commands) {
  std::string out = "usage: weir " + std::string(word) + " COMMAND [OPTION…]\n\n";
  append_commands(out, commands);
  out.append("\n`weir ").append(word).append(" COMMAND --help` explains a command.\n");
  return out;
}

std::string program_help(std::span<const CommandSpec* const> commands) {
  std::string out =
      "usage: weir [COMMAND] [OPTION…]\n\n"
      "weir is a Kafka-compatible broker whose only durable state is an object store.\n"
      "Without a command it runs a broker.\n\n";
  append_commands(out, commands);
  out.append(
      "\n`weir COMMAND --help` explains a command; `weir --version` names the version.\n\n"
      "exit status: 0 done; 1 the cluster, the store or the system did not do it, or something "
      "was\n"
      "found wrong; 2 the command line, a variable or a file of options is wrong.\n\n"
      "examples:\n"
      "  weir                                      run a broker on localhost:9092\n"
      "  weir topic create orders --partitions 6   create a topic\n"
      "  echo hello | weir produce orders          send a record\n"
      "  weir consume orders                       print all records\n");
  return out;
}

}  // namespace weir::cli
