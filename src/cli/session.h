// Session: what every administrative command is handed: its settings, the console, and a cluster.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/console.h"
#include "cli/settings.h"
#include "client/cluster.h"
#include "rt/random.h"

namespace weir::cli {

/// What to do next where the kind of an error alone does not tell: the command knows.
struct Advice {
  std::string_view not_found = "`weir topic list` shows what there is";
  std::string_view already_exists = "--if-not-exists accepts that";
  std::string_view precondition = {};
};

/// All of it outlives the command's task. Ctrl-C is `cluster.shut()`: calls fail with `cancelled`.
struct Session {
  const Settings& settings;
  const std::vector<std::string>& names;
  Console& console;
  client::Cluster& cluster;
  rt::Random& random;

  bool json() const { return settings.text("output") == "json"; }
  /// When the command's requests are overdue (--timeout).
  MonoTime deadline() const;
  /// Prints "weir PATH: …" to standard error and gives the status for what the cluster did not do.
  ExitStatus fail(const Error& error, const Advice& advice = {}) const;
  /// The same for a command line that is wrong, whatever the cluster is like.
  ExitStatus refuse(const Error& error) const;
};

/// A subcommand that talks to a cluster.
struct Command {
  CommandSpec spec;
  rt::Task<ExitStatus> (*run)(Session& session) = nullptr;
  /// The first Ctrl-C only ends its input; without this it ends the command.
  bool drains = false;
};

/// All of them, in the order of --help.
std::vector<Command> cluster_commands();

/// --bootstrap, --output, --timeout: the options that all of them have.
std::span<const OptionSpec> cluster_options();

/// The cluster that the settings name. Errors: invalid_argument.
Result<client::ClusterOptions> cluster_of(const Settings& settings);

/// What to do next, for people; may be empty. `answered`: whether any broker ever has.
std::string_view next_step(const Error& error, bool answered, const Advice& advice);

/// "key=value". Errors: invalid_argument, with `option` in the message.
Result<std::pair<std::string, std::string>> parse_pair(const Setting& setting);

}  // namespace weir::cli
