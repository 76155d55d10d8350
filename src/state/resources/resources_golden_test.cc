// Configs of named resources against digests that were committed when they were new
// (docs/formats/commands.md, docs/formats/snapshot.md). Rules: state/golden_test.cc.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>

#include "state/commands/alter_configs.h"
#include "state/snapshot/snapshot.h"
#include "state/testing/log_builder.h"

namespace weir::state {
namespace {

using testing::Cluster;

const std::string kPath = WEIR_GOLDEN_LOGS "/level-1/resources.txt";

struct Change {
  std::int8_t type;
  std::string name;
  std::string key;
  std::optional<std::string> value;
};

/// Sets, changes and removes keys of few resources, a fixed walk without chance.
std::vector<Change> changes() {
  std::vector<Change> all;
  for (int i = 0; i < 120; ++i) {
    std::optional<std::string> value;
    if (i % 7 < 4) value = std::to_string(i);
    all.push_back({static_cast<std::int8_t>(i % 3 == 0 ? 32 : 16), "r" + std::to_string(i % 5),
                   "k" + std::to_string(i % 4), std::move(value)});
  }
  return all;
}

TEST(GoldenLog, of_named_resources_folds_to_the_recorded_digests) {
  Cluster cluster;
  std::ostringstream lines;
  for (const Change& change : changes()) {
    command::AlterConfigs command;
    command.resources.push_back({change.type, change.name, -1, {{change.key, change.value}}});
    const ItemOutcome outcome = cluster.propose(command).items.at(0);
    EXPECT_EQ(outcome.refusal, Refusal::none);
    const Hash128 digest = cluster.state().digest();
    lines << outcome.value << ' ' << std::hex << digest.high << ' ' << digest.low << std::dec
          << '\n';
  }
  if (std::getenv("WEIR_WRITE_GOLDEN_LOGS") != nullptr) {
    std::ofstream(kPath, std::ios::binary) << lines.str();
    return;
  }
  std::ifstream file(kPath, std::ios::binary);
  ASSERT_TRUE(file.good()) << kPath;
  EXPECT_EQ(lines.str(), std::string(std::istreambuf_iterator<char>(file), {}));
}

TEST(Snapshot, of_named_resources_gives_them_back_with_their_versions) {
  Cluster cluster;
  for (const Change& change : changes()) {
    command::AlterConfigs command;
    command.resources.push_back({change.type, change.name, -1, {{change.key, change.value}}});
    cluster.propose(command);
  }
  State& state = cluster.state();
  SnapshotWriter writer(state);
  while (!writer.step(100)) {
  }
  Result<State> loaded = load_snapshot(writer.finish().flatten());
  ASSERT_TRUE(loaded.has_value()) << describe(loaded.error());
  EXPECT_EQ(loaded->digest(), state.digest());
  EXPECT_EQ(loaded->resources_version(), state.resources_version());
  std::size_t seen = 0;
  for (ResourceType type : {ResourceType::client_metrics, ResourceType::group})
    state.visit_resources(type, [&](const std::string& name, const ConfigMap& configs) {
      EXPECT_EQ(loaded->resource_configs(type, name), configs);
      EXPECT_EQ(loaded->resource_config_version(type, name),
                state.resource_config_version(type, name));
      ++seen;
    });
  EXPECT_GT(seen, 0u);
}

}  // namespace
}  // namespace weir::state
