// Commands of groups against bytes that were committed when they were new, and random ones against
// snapshots (docs/formats/commands.md, docs/formats/snapshot.md). Rules: state/golden_test.cc.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <sstream>

#include "state/commands/commit_offsets.h"
#include "state/commands/delete_groups.h"
#include "state/commands/delete_offsets.h"
#include "state/commands/end_phase.h"
#include "state/commands/expire_members.h"
#include "state/commands/expire_offsets.h"
#include "state/commands/join_group.h"
#include "state/commands/leave_group.h"
#include "state/commands/sync_group.h"
#include "state/commands/vouch_members.h"
#include "state/snapshot/snapshot.h"
#include "state/testing/random_groups.h"

namespace weir::state {
namespace {

using testing::Cluster;
using testing::encoded;
using testing::id_of;
using testing::RandomGroups;

constexpr std::uint64_t kGoldenSeed = 20'261'130;
constexpr int kGoldenCommands = 1'500;

std::string path_of(const std::string& name) { return WEIR_GOLDEN_LOGS "/level-1/" + name; }
bool writing() { return std::getenv("WEIR_WRITE_GOLDEN_LOGS") != nullptr; }

void expect_golden(const std::string& name, const std::string& content) {
  if (writing()) {
    std::ofstream file(path_of(name), std::ios::binary);
    file << content;
    ASSERT_TRUE(file.good()) << path_of(name);
    return;
  }
  std::ifstream file(path_of(name), std::ios::binary);
  ASSERT_TRUE(file.good()) << path_of(name);
  EXPECT_EQ(content, std::string(std::istreambuf_iterator<char>(file), {})) << name;
}

SharedBytes some_bytes() { return SharedBytes::copy_of(weir::as_bytes("bytes")); }

template <class Command>
std::string line_of(const Command& command) {
  return std::to_string(Command::kType) + ' ' + std::string(Command::kName) + ' ' +
         to_hex(encoded(command).body.view()) + '\n';
}

TEST(GoldenFormat, of_commands_of_groups) {
  command::JoinGroup join;
  join.group_id = "group";
  join.member_id = "member";
  join.new_member_id = "new member";
  join.instance_id = "instance";
  join.require_known_member = true;
  join.client_id = "client";
  join.client_host = "/127.0.0.1";
  join.session_timeout_ms = 45'000;
  join.rebalance_timeout_ms = 300'000;
  join.protocol_type = "consumer";
  join.protocols.push_back({"range", some_bytes()});
  join.group_size_max = 100;
  join.initial_delay_ms = 3'000;
  command::SyncGroup sync{.group_id = "group",
                          .member_id = "member",
                          .instance_id = "instance",
                          .generation = 7,
                          .protocol_type = "consumer",
                          .protocol_name = "range"};
  sync.assignments.push_back({"member", some_bytes()});
  command::LeaveGroup leave{.group_id = "group"};
  leave.members.push_back({"member", "instance"});
  command::ExpireMembers expire;
  expire.members.push_back({"group", "member", 1'000});
  command::VouchMembers vouch;
  vouch.groups.push_back({"group", {"member", "other"}});
  command::CommitOffsets commit{.group_id = "group",
                                .member_id = "member",
                                .instance_id = "instance",
                                .generation = 7,
                                .commit_ms = 1'700'000'000'000};
  commit.topics.push_back({id_of<TopicId>(6), {{3, 5'000'000'000, 9, "note"}}});
  command::DeleteOffsets forget{.group_id = "group"};
  forget.topics.push_back({id_of<TopicId>(6), {1, 2}});
  command::ExpireOffsets old;
  old.groups.push_back({"group", 99, {{id_of<TopicId>(6), 3, 1'000}}});
  expect_golden("group-commands.txt",
                line_of(join) + line_of(sync) + line_of(leave) + line_of(expire) + line_of(vouch) +
                    line_of(commit) + line_of(forget) +
                    line_of(command::DeleteGroups{.group_ids = {"group"}}) +
                    line_of(command::EndPhase{
                        .group_id = "group", .generation = 7, .phase = 2, .phase_since = 1'000}) +
                    line_of(old));
}

std::string digest_of(const State& state) {
  std::ostringstream text;
  text << std::hex << state.digest().high << ' ' << state.digest().low;
  return text.str();
}

/// A line per command: type, body, and the digest after it. Commands and not entries, so that a
/// later program may write other entries around them.
void record_log() {
  Cluster cluster;
  RandomGroups random(kGoldenSeed);
  std::ostringstream lines;
  for (int i = 0; i < kGoldenCommands; ++i) {
    EncodedCommand command = random.next(cluster.state());
    lines << command.type << ' ' << to_hex(command.body.view()) << ' ';
    cluster.propose_encoded(std::move(command), {});
    lines << digest_of(cluster.state()) << '\n';
  }
  expect_golden("groups.txt", lines.str());
}

SharedBytes bytes_of_hex(const std::string& hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 2 <= hex.size(); i += 2)
    bytes.push_back(static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  return SharedBytes::copy_of(weir::as_bytes(bytes));
}

TEST(GoldenLog, of_groups_folds_to_the_recorded_digests) {
  if (writing()) record_log();
  std::ifstream file(path_of("groups.txt"));
  Cluster cluster;
  std::map<std::uint16_t, int> applied;
  std::string line;
  int lines = 0;
  for (; std::getline(file, line); ++lines) {
    std::istringstream words(line);
    std::uint16_t type = 0;
    std::string body, high, low;
    words >> type >> body >> high >> low;
    const CommandOutcome outcome = cluster.propose_encoded({type, bytes_of_hex(body)}, {});
    if (outcome.status == CommandStatus::applied) ++applied[type];
    ASSERT_EQ(digest_of(cluster.state()), high + ' ' + low) << "line " << lines + 1;
  }
  EXPECT_EQ(lines, kGoldenCommands);
  for (std::uint16_t type = 20; type <= 29; ++type) EXPECT_GT(applied[type], 0) << type;
}

TEST(RandomGroupCommands, fold_alike_from_any_snapshot) {
  const std::uint64_t seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Cluster cluster;
  RandomGroups random(seed);
  std::optional<State> other;
  for (int i = 0; i < 3'000; ++i) {
    if (i % 500 == 250) {
      // Written while folding goes on.
      SnapshotWriter writer(cluster.state());
      const Position at = writer.position();
      do {
        cluster.propose_encoded(random.next(cluster.state()), {});
      } while (!writer.step(5));
      Result<State> loaded = load_snapshot(writer.finish().flatten());
      ASSERT_TRUE(loaded.has_value()) << describe(loaded.error());
      other.emplace(std::move(*loaded));
      for (std::uint64_t p = at.value + 1; p < cluster.entries().size(); ++p)
        other->apply(*decode_entry(cluster.entries()[p]));
    } else {
      cluster.propose_encoded(random.next(cluster.state()), {});
      if (other) other->apply(*decode_entry(cluster.entries().back()));
    }
    if (other) {
      ASSERT_EQ(other->digest(), cluster.state().digest()) << "step " << i;
    }
  }
  ASSERT_TRUE(other.has_value());
  EXPECT_EQ(other->counts().group_members, cluster.state().counts().group_members);
}

}  // namespace
}  // namespace weir::state
