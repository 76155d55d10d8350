// All commands that talk to a cluster.
#include "cli/command_tables.h"

namespace weir::cli {

std::vector<Command> cluster_commands() {
  std::vector<Command> all;
  for (auto* table : {topic_table, stream_table, group_table, config_table, broker_table})
    for (const Command& each : table()) all.push_back(each);
  return all;
}

}  // namespace weir::cli
