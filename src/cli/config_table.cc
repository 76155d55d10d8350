// The tables of `weir config …` and `weir broker …`.
#include "cli/broker_commands.h"
#include "cli/command_tables.h"
#include "cli/config_commands.h"

namespace weir::cli {
namespace {

constexpr std::string_view kTarget = "topic/NAME|broker/ID|brokers|group/NAME|client-metrics/NAME";

constexpr OptionSpec kDescribeConfigOptions[] = {
    {.name = "all", .kind = OptionKind::flag, .help = "Also those that have their default."},
};
constexpr OptionSpec kAlterConfigOptions[] = {kConfigOption, kDeleteConfigOption};

constexpr CommandSpec kDescribeConfigs = with_one(
    kTarget,
    {.path = "config describe",
     .summary = "Show the configuration of a topic, broker, group or client metrics subscription.",
     .options = kDescribeConfigOptions,
     .examples = "weir config describe topic/orders --all\nweir config describe broker/1"});
constexpr CommandSpec kAlterConfigs = with_one(
    kTarget,
    {.path = "config alter",
     .summary =
         "Change the configuration of a topic, broker, group or client metrics subscription.",
     .options = kAlterConfigOptions,
     .examples =
         "weir config alter topic/orders --config cleanup.policy=compact\n"
         "weir config alter client-metrics/slow --config metrics=* --config interval.ms=60000"});
constexpr CommandSpec kListBrokers = {
    .path = "broker list",
    .summary = "List the live brokers.",
    .examples = "weir broker list\nweir broker list --output json | jq -r .zone"};

}  // namespace

std::vector<Command> config_table() {
  return {command(kDescribeConfigs, &describe_configs), command(kAlterConfigs, &alter_configs)};
}

std::vector<Command> broker_table() { return {command(kListBrokers, &list_brokers)}; }

}  // namespace weir::cli
