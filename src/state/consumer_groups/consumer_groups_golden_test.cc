// Commands of consumer groups against bytes that were committed when they were new, and against the
// digests of that time (docs/formats/commands.md). Rules: state/golden_test.cc.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>

#include "state/commands/downgrade_consumer_group.h"
#include "state/commands/join_group.h"
#include "state/commands/sync_group.h"
#include "state/consumer_groups/embedded.h"
#include "state/consumer_groups/play_for_test.h"
#include "state/groups/classic.h"

namespace weir::state {
namespace {

using testing::encoded;
using testing::id_of;
using testing::Play;
using testing::TestGroup;

constexpr std::uint32_t kGoldenSeed = 848;
constexpr int kGoldenSteps = 800;

std::string path_of(const std::string& name) { return WEIR_GOLDEN_LOGS "/level-1/" + name; }
bool writing() { return std::getenv("WEIR_WRITE_GOLDEN_LOGS") != nullptr; }

void write_file(const std::string& name, const std::string& content) {
  std::ofstream file(path_of(name), std::ios::binary);
  file << content;
  ASSERT_TRUE(file.good()) << path_of(name);
}

template <class Command>
std::string line_of(const Command& command) {
  return std::to_string(Command::kType) + ' ' + std::string(Command::kName) + ' ' +
         to_hex(encoded(command).body.view()) + '\n';
}

TEST(GoldenFormat, of_commands_of_consumer_groups) {
  auto heartbeat = TestGroup::joining("member", {"topic", "other"});
  heartbeat.member_epoch = 7;
  heartbeat.instance_id = "instance";
  heartbeat.rack_id = "rack";
  heartbeat.regex = "t.*";
  heartbeat.assignor = "range";
  heartbeat.owned->push_back({.topic_id = id_of<TopicId>(6), .partitions = {1, 2}});
  command::LeaveConsumerGroup leave{.group_id = "group"};
  leave.members.push_back({"member", "instance", true});
  command::FenceConsumerMember fence{.group_id = "group", .member_id = "member", .member_epoch = 7};
  command::AssignConsumerGroup assign{.group_id = "group",
                                      .group_epoch = 9,
                                      .target_epoch = 8,
                                      .bump = true,
                                      .metadata_hash = 0x0102030405060708};
  assign.regexes.emplace();
  assign.regexes->push_back({"t.*", {"topic"}});
  assign.targets.push_back({"member", {{id_of<TopicId>(6), {1, 2}}}});
  assign.advance = {"member"};
  std::string lines =
      line_of(heartbeat) + line_of(leave) + line_of(fence) + line_of(assign) +
      line_of(command::DowngradeConsumerGroup{.group_id = "group", .group_epoch = 9});
  if (writing()) write_file("consumer-group-commands.txt", lines);
  std::ifstream file(path_of("consumer-group-commands.txt"), std::ios::binary);
  EXPECT_EQ(lines, std::string(std::istreambuf_iterator<char>(file), {}));
}

std::string digest_of(const State& state) {
  std::ostringstream text;
  text << std::hex << state.digest().high << ' ' << state.digest().low;
  return text.str();
}

SharedBytes bytes_of_hex(const std::string& hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 2 <= hex.size(); i += 2)
    bytes.push_back(static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  return SharedBytes::copy_of(weir::as_bytes(bytes));
}

command::JoinGroup classic_join(const std::string& member) {
  command::JoinGroup join;
  join.group_id = "migrant";
  join.member_id = member;
  join.new_member_id = member;
  join.client_id = "client";
  join.client_host = "/10.0.0.2";
  join.session_timeout_ms = 45'000;
  join.rebalance_timeout_ms = 60'000;
  join.protocol_type = "consumer";
  // Version 0: the topic "t", no user data.
  join.protocols.push_back({"range", bytes_of_hex("000000000001000174ffffffff")});
  join.group_size_max = 100;
  return join;
}

/// A classic group that becomes one of the consumer protocol and comes back.
void migrate(TestGroup& test) {
  command::JoinGroup first = classic_join("");
  first.new_member_id = "old";
  test.send(first);
  command::SyncGroup sync{.group_id = "migrant", .member_id = "old", .generation = 1};
  sync.assignments.push_back({"old", encode_assignment(0, {{"t", {0, 1}}})});
  test.send(sync);
  auto fresh = TestGroup::joining("new");
  fresh.group_id = "migrant";
  ASSERT_EQ(test.send(fresh).refusal, Refusal::none);
  ASSERT_EQ(test.send(classic_join("old")).refusal, Refusal::none);
  command::LeaveConsumerGroup leave{.group_id = "migrant"};
  leave.members.push_back({"new", std::nullopt, false});
  test.send(leave);
  std::int32_t epoch = test.cluster.state().groups().find("migrant")->consumer()->epoch();
  ASSERT_EQ(test.send(command::DowngradeConsumerGroup{.group_id = "migrant", .group_epoch = epoch})
                .refusal,
            Refusal::none);
}

void record_log() {
  Play play(kGoldenSeed);
  for (int i = 0; i < kGoldenSteps; ++i) play.step();
  TestGroup& test = play.test();
  migrate(test);
  // A member that is fenced.
  test.join("slow");
  test.assign({{"slow", {0}}});
  std::ostringstream lines;
  Play again(kGoldenSeed);
  testing::Cluster& cluster = again.test().cluster;
  for (const EncodedCommand& command : test.sent) {
    lines << command.type << ' ' << to_hex(command.body.view()) << ' ';
    cluster.propose_encoded(command, {});
    lines << digest_of(cluster.state()) << '\n';
  }
  write_file("consumer-groups.txt", lines.str());
}

TEST(GoldenLog, of_consumer_groups_folds_to_the_recorded_digests) {
  if (writing()) record_log();
  std::ifstream file(path_of("consumer-groups.txt"));
  TestGroup test(testing::kPartitions);
  std::map<std::uint16_t, int> applied;
  std::string line;
  int lines = 0;
  for (; std::getline(file, line); ++lines) {
    std::istringstream words(line);
    std::uint16_t type = 0;
    std::string body, high, low;
    words >> type >> body >> high >> low;
    CommandOutcome outcome = test.cluster.propose_encoded({type, bytes_of_hex(body)}, {});
    if (outcome.status == CommandStatus::applied) ++applied[type];
    ASSERT_EQ(digest_of(test.cluster.state()), high + ' ' + low) << "line " << lines + 1;
  }
  EXPECT_GT(lines, 400);
  for (std::uint16_t type : {30, 31, 33, 35}) EXPECT_GT(applied[type], 0) << type;
}

}  // namespace
}  // namespace weir::state
