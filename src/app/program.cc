#include "app/program.h"

#include "app/broker_command.h"
#include "base/version.h"
#include "cli/cost_command.h"
#include "cli/help.h"

namespace weir::app {
namespace {

constexpr cli::CommandSpec kCompletion = {
    .path = "completion",
    .summary = "Print a completion script for a shell.",
    .positionals = "bash|zsh|fish",
    .positionals_min = 1,
    .positionals_max = 1,
    .examples =
        "source <(weir completion bash)\n"
        "weir completion fish > ~/.config/fish/completions/weir.fish"};

Invocation say(std::string text) { return {.text = std::move(text)}; }

Invocation refuse(std::string_view path, const Error& error) {
  std::string text = "weir";
  if (!path.empty()) text.append(" ").append(path);
  text.append(": ").append(error.message).append("; `weir ");
  if (!path.empty()) text.append(path).append(" ");
  text.append("--help` explains the options\n");
  return {.status = cli::ExitStatus::usage, .text = std::move(text)};
}

}  // namespace

Program::Program() : commands_(cli::cluster_commands()), bucket_commands_(cli::bucket_commands()) {
  specs_.push_back(&broker_command());
  for (const cli::Command& command : commands_) specs_.push_back(&command.spec);
  for (const cli::BucketCommand& command : bucket_commands_) specs_.push_back(&command.spec);
  specs_.push_back(&cli::cost_command());
  specs_.push_back(&kCompletion);
}

Invocation Program::parse(const std::vector<std::string>& words,
                          const ProcessInputs& inputs) const {
  if (!words.empty()) {
    const std::string& first = words.front();
    if (first == "--version" && words.size() > 1)
      return refuse("", {ErrorCode::invalid_argument,
                         "'" + words[1] + "' is one word too many after --version"});
    if (first == "--version") return say("weir " + std::string(version()) + "\n");
    if (first == "--help" || first == "-h" || first == "help")
      return say(cli::program_help(specs_));
  }
  cli::FoundCommand found = cli::find_command(specs_, words);
  if (found.command)
    return parse_command(*found.command, std::span(words).subspan(found.words), inputs);
  if (words.empty() || words.front().starts_with('-'))
    return parse_command(broker_command(), words, inputs);
  return unknown_command(words);
}

Invocation Program::unknown_command(const std::vector<std::string>& words) const {
  std::vector<const cli::CommandSpec*> below;
  std::vector<std::string_view> first_words;
  for (const cli::CommandSpec* spec : specs_) {
    std::string_view first = spec->path.substr(0, spec->path.find(' '));
    first_words.push_back(first);
    if (first == words.front()) below.push_back(spec);
  }
  bool asks_help = words.size() > 1 && (words[1] == "--help" || words[1] == "-h");
  if (!below.empty() && asks_help) return say(cli::program_help(below));
  std::string message;
  if (!below.empty()) {
    message = "'" + words.front() + "' needs one of";
    for (const cli::CommandSpec* spec : below)
      message.append(spec == below.front() ? " " : ", ")
          .append(spec->path.substr(words.front().size() + 1));
  } else {
    message = "there is no command '" + words.front() + "'";
    std::string_view meant = cli::closest(words.front(), first_words);
    if (!meant.empty()) message.append("; did you mean ").append(meant).append("?");
  }
  return refuse("", {ErrorCode::invalid_argument, std::move(message)});
}

Invocation Program::parse_command(const cli::CommandSpec& spec, std::span<const std::string> words,
                                  const ProcessInputs& inputs) const {
  Result<cli::Arguments> arguments = cli::parse_arguments(spec, words);
  if (!arguments) return refuse(spec.path, arguments.error());
  if (arguments->help) return say(cli::command_help(spec));
  if (&spec == &kCompletion) return complete(spec, arguments->positionals);
  Result<cli::Settings> settings = load_settings(spec, *arguments, inputs);
  if (!settings) return refuse(spec.path, settings.error());
  Invocation invocation{.kind = Invocation::Kind::broker, .settings = std::move(*settings)};
  if (&spec == &broker_command()) {
    if (invocation.settings->flag("print-config"))
      return say(cli::describe_settings(*invocation.settings));
    return invocation;
  }
  invocation.kind =
      &spec == &cli::cost_command() ? Invocation::Kind::cost : Invocation::Kind::cluster;
  invocation.names = std::move(arguments->positionals);
  for (const cli::Command& command : commands_)
    if (&command.spec == &spec) invocation.command = &command;
  for (const cli::BucketCommand& command : bucket_commands_) {
    if (&command.spec != &spec) continue;
    invocation.kind = Invocation::Kind::bucket;
    invocation.bucket_command = &command;
  }
  return invocation;
}

Invocation Program::complete(const cli::CommandSpec& spec,
                             const std::vector<std::string>& names) const {
  const std::string& shell = names.front();
  if (shell == "bash") return say(cli::bash_completion(specs_));
  if (shell == "zsh") return say(cli::zsh_completion(specs_));
  if (shell == "fish") return say(cli::fish_completion(specs_));
  return refuse(spec.path, {ErrorCode::invalid_argument, "'" + shell + "' is no shell it knows"});
}

}  // namespace weir::app
