// weir group …, weir broker list and weir consume --group against a small broker.
#include <gtest/gtest.h>

#include "cli/testing/commands_fixture.h"

namespace weir::cli {
namespace {

using testing::CommandsTest;

class GroupCommands : public CommandsTest {
 protected:
  client::TestGroup& group(const char* name) { return broker_.groups.all[name]; }
  static client::TopicPartition at(std::int32_t partition) {
    return {"t", PartitionIndex(partition)};
  }
  /// Looks at the group before it interrupts.
  rt::Task<void> interrupt_after(Duration pause) {
    co_await rt::sleep_for(client_.loop(), pause);
    EXPECT_EQ(group("g").offsets[at(0)], 2);
    EXPECT_EQ(group("g").subscriptions.size(), 1u);
    console_.interrupted = true;
  }
  void write(const std::string& lines, const char* partition) {
    console_.input = lines;
    EXPECT_EQ(run({"produce", "t", "--partition", partition}), 0);
  }
};

TEST_F(GroupCommands, ListDescribeAndDelete) {
  EXPECT_EQ(run({"group", "list"}), 0);
  EXPECT_EQ(console_.output, "GROUP  TYPE  STATE  PROTOCOL\n");
  group("g");
  EXPECT_EQ(run({"group", "list", "--output", "json"}), 0);
  EXPECT_EQ(console_.output,
            "{\"group\":\"g\",\"type\":\"classic\",\"state\":\"Empty\",\"protocol_type\":"
            "\"consumer\"}\n");
  EXPECT_EQ(run({"group", "describe", "g"}), 0);
  EXPECT_EQ(console_.output, "g\n  type: classic\n  state: Empty\n  assignor: range\n");
  EXPECT_EQ(run({"group", "describe", "none"}), 1);
  expect_error("there is no group none; `weir group list`");
  group("busy").subscriptions["m"] = SharedBytes();
  EXPECT_EQ(run({"group", "delete", "busy"}), 1);
  expect_error("busy: NON_EMPTY_GROUP; stop the group's members first; `weir group describe`");
  EXPECT_EQ(run({"group", "delete", "g", "none"}), 1);
  EXPECT_EQ(console_.output, "deleted g\n");
  expect_error("none: there is no group none; `weir group list`");
  EXPECT_EQ(run({"group", "delete", "none", "--if-exists"}), 0);
}

TEST_F(GroupCommands, LagIsShownByPartition) {
  broker_.add_topic("t", 2);
  write("a\nb\nc\n", "0");
  group("g").offsets[at(0)] = 1;
  EXPECT_EQ(run({"group", "lag", "g"}), 0);
  EXPECT_EQ(console_.output,
            "GROUP  TOPIC  PARTITION  COMMITTED  END  LAG  MEMBER\n"
            "g      t      0          1          3    2    -\n");
  EXPECT_EQ(run({"group", "lag", "g", "--output", "json"}), 0);
  EXPECT_EQ(console_.output,
            "{\"group\":\"g\",\"topic\":\"t\",\"partition\":0,\"committed\":1,\"end\":3,\"lag\":2,"
            "\"member\":null}\n");
  EXPECT_EQ(run({"group", "lag", "none"}), 1);
}

TEST_F(GroupCommands, ResetMovesWhatIsNamed) {
  broker_.add_topic("t", 2);
  write("a\nb\nc\n", "0");
  write("d\n", "1");
  group("g").offsets[at(0)] = 1;
  EXPECT_EQ(run({"group", "reset", "g", "--to", "end", "--dry-run"}), 0);
  EXPECT_EQ(console_.output, "TOPIC  PARTITION  BEFORE  AFTER\nt      0          1       3\n");
  EXPECT_EQ(group("g").offsets[at(0)], 1);
  EXPECT_EQ(run({"group", "reset", "g", "--to", "end", "--topic", "t"}), 0);
  EXPECT_EQ(group("g").offsets[at(0)], 3);
  EXPECT_EQ(group("g").offsets[at(1)], 1);
  EXPECT_EQ(run({"group", "reset", "g", "--to=-2", "--topic", "t", "--partition", "0"}), 0);
  EXPECT_EQ(group("g").offsets[at(0)], 1);
  EXPECT_EQ(group("g").offsets[at(1)], 1);
  EXPECT_EQ(run({"group", "reset", "g"}), 2);
  expect_error("--to is missing");
  EXPECT_EQ(run({"group", "reset", "g", "--to", "soon"}), 2);
  EXPECT_EQ(run({"group", "reset", "new", "--to", "end"}), 1);
  expect_error("--topic names topics");
  EXPECT_EQ(run({"group", "reset", "g", "--to", "end", "--topic", "t", "--partition", "8"}), 1);
  expect_error("there is no partition 8 in what --topic names");
}

TEST_F(GroupCommands, ResetRefusesAGroupThatIsAtWork) {
  broker_.add_topic("t", 1);
  group("g").offsets[at(0)] = 0;
  group("g").subscriptions["m"] = SharedBytes();
  EXPECT_EQ(run({"group", "reset", "g", "--to", "end"}), 1);
  expect_error("the group has members; stop them first");
}

TEST_F(GroupCommands, ConsumersOfAGroupGoOnWhereItStopped) {
  broker_.add_topic("t", 2);
  write("a\nb\n", "0");
  write("c\n", "1");
  EXPECT_EQ(run({"consume", "t", "--group", "g", "--print", "partition"}), 0);
  EXPECT_EQ(console_.output, "0\ta\n0\tb\n1\tc\n");
  EXPECT_EQ(group("g").offsets[at(0)], 2);
  EXPECT_EQ(group("g").offsets[at(1)], 1);
  EXPECT_TRUE(group("g").subscriptions.empty()) << "it has left";
  write("d\ne\n", "0");
  EXPECT_EQ(run({"consume", "t", "--group", "g", "--count", "1"}), 0);
  EXPECT_EQ(console_.output, "d\n");
  EXPECT_EQ(group("g").offsets[at(0)], 3) << "what was not printed is not committed";
  EXPECT_EQ(run({"consume", "t", "--group", "g"}), 0);
  EXPECT_EQ(console_.output, "e\n");
  EXPECT_EQ(run({"consume", "t", "--group", "g"}), 0);
  EXPECT_EQ(console_.output, "");
}

TEST_F(GroupCommands, AFollowerCommitsAsItGoesAndLeavesWhenInterrupted) {
  broker_.add_topic("t", 1);
  write("a\nb\n", "0");
  client_.spawn(interrupt_after(10s));
  EXPECT_EQ(run({"consume", "t", "--group", "g", "--follow"}), 0);
  EXPECT_EQ(console_.output, "a\nb\n");
  EXPECT_TRUE(group("g").subscriptions.empty());
  EXPECT_EQ(console_.errors, "");
}

TEST_F(GroupCommands, GroupDoesNotGoWithAPlace) {
  EXPECT_EQ(run({"consume", "t", "--group", "g", "--partition", "0"}), 2);
  expect_error("--group shares out the partitions");
}

TEST_F(GroupCommands, BrokersAreListed) {
  EXPECT_EQ(run({"broker", "list"}), 0);
  EXPECT_EQ(console_.output,
            "BROKER  ADDRESS      ZONE  CONTROLLER\n1       broker:9092  z1    yes\n");
  EXPECT_EQ(run({"broker", "list", "--output", "json"}), 0);
  EXPECT_EQ(console_.output,
            "{\"broker\":1,\"host\":\"broker\",\"port\":9092,\"zone\":\"z1\",\"controller\":true,"
            "\"cluster_id\":\"test\"}\n");
}

}  // namespace
}  // namespace weir::cli
