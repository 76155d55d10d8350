// The tables of `weir group …`.
#include "cli/command_tables.h"
#include "cli/group_commands.h"

namespace weir::cli {
namespace {

constexpr OptionSpec kDeleteOptions[] = {kIfExistsOption};
constexpr OptionSpec kResetOptions[] = {
    {.name = "to",
     .value_name = "PLACE",
     .help = "Where to: beginning, end, an offset, -N for the last N records of each partition, or "
             "a time, as @1700000000000 or 2026-01-31T12:00:00Z. Required."},
    {.name = "topic",
     .value_name = "NAME",
     .help = "Only this topic, with all its partitions.",
     .fallback_note = "all partitions that the group has committed",
     .repeat = Repeat::list},
    {.name = "partition",
     .kind = OptionKind::integer,
     .value_name = "N",
     .help = "Only this partition.",
     .fallback_note = "all",
     .repeat = Repeat::list,
     .least = 0,
     .most = INT32_MAX},
    {.name = "dry-run", .kind = OptionKind::flag, .help = "Show what would change."},
};

constexpr CommandSpec kList = {.path = "group list",
                               .summary = "List the consumer groups.",
                               .examples =
                                   "weir group list\n"
                                   "weir group list --output json | jq -r .group"};
constexpr CommandSpec kDescribe = with_names({.path = "group describe",
                                              .summary = "Show state and members of groups.",
                                              .examples = "weir group describe billing"});
constexpr CommandSpec kLag =
    with_names({.path = "group lag",
                .summary = "Show how far groups are behind, by partition.",
                .examples = "weir group lag billing\n"
                            "weir group lag billing --output json | jq -s 'map(.lag) | add'"});
constexpr CommandSpec kReset =
    with_one("NAME", {.path = "group reset",
                      .summary = "Move the committed offsets of a group that has no members.",
                      .options = kResetOptions,
                      .examples = "weir group reset billing --to beginning --topic orders\n"
                                  "weir group reset billing --to 2026-01-31T00:00:00Z --dry-run"});
constexpr CommandSpec kDelete = with_names({.path = "group delete",
                                            .summary = "Delete groups and their offsets.",
                                            .options = kDeleteOptions,
                                            .examples = "weir group delete billing"});

}  // namespace

std::vector<Command> group_table() {
  return {command(kList, &list_groups), command(kDescribe, &describe_groups),
          command(kLag, &show_lag), command(kReset, &reset_group),
          command(kDelete, &delete_groups)};
}

}  // namespace weir::cli
