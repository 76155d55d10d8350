// Program: which commands `weir` has, and which one a command line means.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/load_settings.h"
#include "cli/bucket_session.h"
#include "cli/console.h"
#include "cli/perf_commands.h"
#include "cli/session.h"

namespace weir::app {

/// What a command line asks for.
struct Invocation {
  enum class Kind : unsigned char {
    print,    // print `text` and end with `status`
    broker,   // run a broker with `settings`
    cluster,  // run `command` with `settings` and `names`
    bucket,   // run `bucket_command` with `settings` and `names`
    perf,     // run `perf_command` with `settings` and `names`
    cost,     // run `weir cost` with `settings`
  };
  Kind kind = Kind::print;
  cli::ExitStatus status = cli::ExitStatus::success;
  /// For standard output, or standard error when the status is not success.
  std::string text;
  /// For standard error, whatever is done; empty or whole lines.
  std::string warning;
  const cli::Command* command = nullptr;
  const cli::BucketCommand* bucket_command = nullptr;
  const cli::PerfCommand* perf_command = nullptr;
  std::optional<cli::Settings> settings;
  std::vector<std::string> names;
};

class Program {
 public:
  Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  /// Total: whatever the words are, there is something to do or to say.
  Invocation parse(const std::vector<std::string>& words, const ProcessInputs& inputs) const;

 private:
  Invocation parse_command(const cli::CommandSpec& spec, std::span<const std::string> words,
                           const ProcessInputs& inputs) const;
  Invocation complete(const cli::CommandSpec& spec, const std::vector<std::string>& names) const;
  Invocation unknown_command(const std::vector<std::string>& words) const;
  /// `weir help`, `weir help topic create`.
  Invocation help(const std::vector<std::string>& words) const;
  /// The commands whose first word is this.
  std::vector<const cli::CommandSpec*> below(std::string_view first) const;
  /// About variables that look like ours and are none: most often spelling mistakes.
  std::string warn_of_variables(const ProcessInputs& inputs) const;

  std::vector<cli::Command> commands_;
  std::vector<cli::BucketCommand> bucket_commands_;
  std::vector<cli::PerfCommand> perf_commands_;
  /// All, the broker first, for help and completion.
  std::vector<const cli::CommandSpec*> specs_;
};

}  // namespace weir::app
