// The tables of the commands that talk to a cluster, and the shapes that they share.
#pragma once

#include <vector>

#include "cli/session.h"

namespace weir::cli {

std::vector<Command> topic_table();
std::vector<Command> group_table();
std::vector<Command> config_table();
std::vector<Command> broker_table();
std::vector<Command> stream_table();

inline constexpr std::size_t kNamesMax = 1000;

/// For a command that does the same to each of its names.
constexpr CommandSpec with_names(CommandSpec spec) {
  spec.positionals = "NAME…";
  spec.positionals_min = 1;
  spec.positionals_max = kNamesMax;
  return spec;
}
/// For a command on one thing.
constexpr CommandSpec with_one(std::string_view what, CommandSpec spec) {
  spec.positionals = what;
  spec.positionals_min = 1;
  spec.positionals_max = 1;
  return spec;
}

/// With the options that all of them have. Not a constant, for spans of other files are none.
inline Command command(CommandSpec spec, rt::Task<ExitStatus> (*run)(Session& session),
                       bool drains = false) {
  spec.common = cluster_options();
  return {spec, run, drains};
}

inline constexpr OptionSpec kConfigOption = {
    .name = "config",
    .value_name = "KEY=VALUE",
    .help = "Set a configuration, as retention.ms=86400000.",
    .repeat = Repeat::list};
inline constexpr OptionSpec kDeleteConfigOption = {.name = "delete-config",
                                                   .value_name = "KEY",
                                                   .help = "Return a configuration to its default.",
                                                   .repeat = Repeat::list};
inline constexpr OptionSpec kIfExistsOption = {.name = "if-exists",
                                               .kind = OptionKind::flag,
                                               .help = "Succeed when there is none of that name."};

}  // namespace weir::cli
