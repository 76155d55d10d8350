// Session: what every administrative command is handed: its settings, the console, and a cluster.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/console.h"
#include "cli/settings.h"
#include "client/cluster.h"
#include "rt/random.h"

namespace weir::cli {

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
  /// Prints "weir PATH: …" to standard error and gives the status for it.
  ExitStatus fail(const Error& error) const;
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

/// One sentence for people: what went wrong and what to do next.
std::string advice(const Error& error);

/// "key=value". Errors: invalid_argument, with `option` in the message.
Result<std::pair<std::string, std::string>> parse_pair(const Setting& setting);

}  // namespace weir::cli
