#include "app/program.h"

#include <algorithm>

#include "app/broker_command.h"
#include "app/machine.h"
#include "base/units.h"
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
  text.append(": ").append(error.message);
  // Some say so themselves.
  if (error.message.find("--help`") == std::string::npos) {
    if (path.empty())
      text.append("; `weir help` lists the commands");
    else
      text.append("; `weir ").append(path).append(" --help` explains the options");
  }
  text.push_back('\n');
  return {.status = cli::ExitStatus::usage, .text = std::move(text)};
}

/// Kubernetes puts such variables into every container for a service that is named weir or weir-….
bool is_service_link(std::string_view name) {
  return name.find("_SERVICE_HOST") != std::string_view::npos ||
         name.find("_SERVICE_PORT") != std::string_view::npos || name.ends_with("_PORT") ||
         name.find("_PORT_") != std::string_view::npos;
}

}  // namespace

Program::Program()
    : commands_(cli::cluster_commands()),
      bucket_commands_(cli::bucket_commands()),
      perf_commands_(cli::perf_commands()) {
  specs_.push_back(&broker_command());
  for (const cli::Command& command : commands_) specs_.push_back(&command.spec);
  for (const cli::PerfCommand& command : perf_commands_) specs_.push_back(&command.spec);
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
    if (first == "--help" || first == "-h") return say(cli::program_help(specs_));
    if (first == "help") return help({words.begin() + 1, words.end()});
  }
  cli::FoundCommand found = cli::find_command(specs_, words);
  if (found.command)
    return parse_command(*found.command, std::span(words).subspan(found.words), inputs);
  if (words.empty() || words.front().starts_with('-'))
    return parse_command(broker_command(), words, inputs);
  return unknown_command(words);
}

std::vector<const cli::CommandSpec*> Program::below(std::string_view first) const {
  std::vector<const cli::CommandSpec*> found;
  for (const cli::CommandSpec* spec : specs_)
    if (spec->path.substr(0, spec->path.find(' ')) == first) found.push_back(spec);
  return found;
}

Invocation Program::help(const std::vector<std::string>& words) const {
  if (words.empty()) return say(cli::program_help(specs_));
  cli::FoundCommand found = cli::find_command(specs_, words);
  if (found.command && found.words == words.size()) return say(cli::command_help(*found.command));
  std::vector<const cli::CommandSpec*> group = below(words.front());
  if (words.size() == 1 && !group.empty()) return say(cli::group_help(words.front(), group));
  return unknown_command(words);
}

Invocation Program::unknown_command(const std::vector<std::string>& words) const {
  const std::string& first = words.front();
  std::vector<const cli::CommandSpec*> group = below(first);
  bool asks_help = words.size() > 1 && (words[1] == "--help" || words[1] == "-h");
  if (!group.empty() && asks_help) return say(cli::group_help(first, group));
  std::string message, meant;
  std::vector<std::string_view> candidates;
  if (!group.empty()) {
    message = "'" + first + "' needs one of";
    for (const cli::CommandSpec* spec : group) {
      candidates.push_back(spec->path.substr(std::min(first.size() + 1, spec->path.size())));
      message.append(spec == group.front() ? " " : ", ").append(candidates.back());
    }
    if (words.size() > 1) meant = cli::closest(words[1], candidates);
    if (!meant.empty()) meant = first + " " + meant;
  } else {
    message = "there is no command '" + first + "'";
    for (const cli::CommandSpec* spec : specs_)
      candidates.push_back(spec->path.substr(0, spec->path.find(' ')));
    meant = cli::closest(first, candidates);
  }
  if (!meant.empty()) message.append("; did you mean ").append(meant).append("?");
  return refuse("", {ErrorCode::invalid_argument, std::move(message)});
}

std::string Program::warn_of_variables(const ProcessInputs& inputs) const {
  Result<cli::Environment> environment = whole_environment(inputs);
  if (!environment) return {};  // Loading the settings has said so.
  std::vector<std::string> known;
  for (const cli::CommandSpec* spec : specs_)
    for (std::span<const cli::OptionSpec> table : {spec->options, spec->common})
      for (const cli::OptionSpec& option : table)
        if (option.from_environment) known.push_back(cli::environment_name(option));
  const std::vector<std::string_view> candidates(known.begin(), known.end());
  std::string text;
  for (const auto& [name, value] : *environment) {
    if (!name.starts_with("WEIR_") || is_service_link(name)) continue;
    if (std::ranges::find(known, name) != known.end()) continue;
    text.append(text.empty() ? "weir: warning: " : ", ").append(name);
    if (!inputs.environment.contains(name)) text.append(" in .env");
    std::string_view meant = cli::closest(name, candidates);
    if (!meant.empty()) text.append(" (did you mean ").append(meant).append("?)");
  }
  if (!text.empty()) text.append(": no such option, so it has no effect\n");
  return text;
}

Invocation Program::parse_command(const cli::CommandSpec& spec, std::span<const std::string> words,
                                  const ProcessInputs& inputs) const {
  Result<cli::Arguments> arguments = cli::parse_arguments(spec, words);
  if (!arguments) return refuse(spec.path, arguments.error());
  if (arguments->help) return say(cli::command_help(spec));
  if (&spec == &kCompletion) return complete(spec, arguments->positionals);
  Result<cli::Settings> settings = load_settings(spec, *arguments, inputs);
  if (!settings) return refuse(spec.path, settings.error());
  Invocation invocation{.kind = Invocation::Kind::broker,
                        .warning = warn_of_variables(inputs),
                        .settings = std::move(*settings)};
  if (&spec == &broker_command()) {
    if (!invocation.settings->flag("print-config")) return invocation;
    invocation.kind = Invocation::Kind::print;
    invocation.text = cli::describe_settings(
        *invocation.settings, {{"lanes", std::to_string(lanes_default())},
                               {"memory", format_size(memory_default() >> 20 << 20)}});
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
  for (const cli::PerfCommand& command : perf_commands_) {
    if (&command.spec != &spec) continue;
    invocation.kind = Invocation::Kind::perf;
    invocation.perf_command = &command;
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
