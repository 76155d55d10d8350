// The commands against a small broker, with a console that remembers.
#include <gtest/gtest.h>

#include "cli/option_check.h"
#include "cli/testing/commands_fixture.h"

namespace weir::cli {
namespace {

using testing::CommandsTest;

TEST_F(CommandsTest, TopicsAreCreatedListedDescribedAlteredAndDeleted) {
  EXPECT_EQ(run({"topic", "create", "a", "b", "--partitions", "3", "--config", "x=1"}), 0);
  EXPECT_EQ(console_.output, "created a\ncreated b\n");
  EXPECT_EQ(run({"topic", "create", "a"}), 1);
  expect_error("weir topic create: a: TOPIC_ALREADY_EXISTS");
  expect_error("--if-not-exists");
  EXPECT_EQ(run({"topic", "create", "a", "--if-not-exists"}), 0);
  EXPECT_EQ(run({"topic", "list"}), 0);
  EXPECT_EQ(console_.output, "TOPIC  PARTITIONS\na      3\nb      3\n");
  EXPECT_EQ(
      run({"topic", "alter", "a", "--partitions", "5", "--config", "y=2", "--delete-config", "x"}),
      0);
  EXPECT_EQ(run({"topic", "describe", "a"}), 0);
  EXPECT_NE(console_.output.find("  y: 2\n"), std::string::npos) << console_.output;
  EXPECT_NE(console_.output.find("\n  4          1       0      1\n"), std::string::npos)
      << console_.output;
  EXPECT_EQ(console_.output.find("x: 1"), std::string::npos);
  EXPECT_EQ(run({"topic", "delete", "a", "none"}), 1);
  EXPECT_EQ(console_.output, "deleted a\n");
  expect_error("none: UNKNOWN_TOPIC_OR_PARTITION");
  EXPECT_EQ(run({"topic", "delete", "none", "--if-exists"}), 0);
  EXPECT_EQ(run({"topic", "describe", "a"}), 1);
  expect_error("there is no topic a; `weir topic list`");
}

TEST_F(CommandsTest, JsonOutputIsOneValuePerLine) {
  EXPECT_EQ(run({"topic", "create", "a", "--output", "json"}), 0);
  EXPECT_EQ(console_.output, "{\"topic\":\"a\",\"done\":true}\n");
  EXPECT_EQ(run({"topic", "list", "--output=json"}), 0);
  EXPECT_NE(console_.output.find("\"topic\":\"a\",\"id\":\"01"), std::string::npos);
  EXPECT_EQ(run({"topic", "describe", "a", "--output", "json"}), 0);
  EXPECT_NE(console_.output.find("\"configs\":{\"cleanup.policy\":\"delete\"}"), std::string::npos);
}

TEST_F(CommandsTest, NothingToAlterIsAUsageError) {
  EXPECT_EQ(run({"topic", "alter", "a"}), 2);
  expect_error("nothing to alter");
  EXPECT_EQ(run({"topic", "alter", "a", "retention.ms=5"}), 2);
  expect_error("'retention.ms=5' is no topic; write --config retention.ms=5");
  EXPECT_EQ(run({"topic", "create", "a", "--config", "novalue"}), 2);
  expect_error("--config: 'novalue' is not of the form key=value");
}

TEST_F(CommandsTest, ConfigsAreDescribedAndAltered) {
  broker_.add_topic("a", 1);
  EXPECT_EQ(run({"config", "describe", "topic/a"}), 0);
  EXPECT_EQ(console_.output, "");
  expect_error("--all shows the defaults");
  EXPECT_EQ(run({"config", "alter", "topic/a", "--config", "retention.ms=5"}), 0);
  EXPECT_EQ(run({"config", "describe", "topic/a"}), 0);
  EXPECT_EQ(console_.output, "NAME          VALUE  SOURCE\nretention.ms  5      topic\n");
  EXPECT_EQ(run({"config", "describe", "topic/a", "--all", "--output", "json"}), 0);
  EXPECT_NE(console_.output.find("\"name\":\"cleanup.policy\""), std::string::npos);
  EXPECT_EQ(run({"config", "describe", "a"}), 2);
  expect_error("neither topic/NAME");
}

TEST_F(CommandsTest, LinesBecomeRecordsAndComeBack) {
  broker_.add_topic("t", 1);
  console_.input = "k1:one\nk2:two:2\nno key\n";
  EXPECT_EQ(run({"produce", "t", "--key-separator", ":", "--header", "h=x", "--codec", "lz4"}), 0);
  EXPECT_EQ(console_.output, "");
  EXPECT_EQ(run({"consume", "t"}), 0);
  EXPECT_EQ(console_.output, "one\ntwo:2\nno key\n");
  EXPECT_EQ(run({"consume", "t", "--print", "offset,key,headers"}), 0);
  EXPECT_EQ(console_.output, "0\tk1\th=x\tone\n1\tk2\th=x\ttwo:2\n2\t\th=x\tno key\n");
  EXPECT_EQ(run({"consume", "t", "--from", "1", "--to", "2"}), 0);
  EXPECT_EQ(console_.output, "two:2\n");
  EXPECT_EQ(run({"consume", "t", "--from=-1"}), 0);
  EXPECT_EQ(console_.output, "no key\n");
  EXPECT_EQ(run({"consume", "t", "--count", "2"}), 0);
  EXPECT_EQ(console_.output, "one\ntwo:2\n");
  EXPECT_EQ(run({"consume", "t", "--from", "end"}), 0);
  EXPECT_EQ(console_.output, "");
}

TEST_F(CommandsTest, ProduceReportsWhatWasDelivered) {
  broker_.add_topic("t", 2);
  console_.input = "a\nb\nc";
  EXPECT_EQ(run({"produce", "t", "--partition", "1", "--output", "json"}), 0);
  EXPECT_EQ(console_.output, "{\"delivered\":3,\"failed\":0}\n");
  EXPECT_EQ(broker_.topics["t"].partitions[1].end, 3);
  console_.input = "x\n";
  broker_.refuse_produce = {10};
  EXPECT_EQ(run({"produce", "t"}), 1);
  expect_error("delivered 0 records\n");
  expect_error("MESSAGE_TOO_LARGE");
  console_.input = "x\n";
  EXPECT_EQ(run({"produce", "absent"}), 1);
  expect_error("there is no topic absent; `weir topic create` makes one");
  console_.input = "x\n";
  EXPECT_EQ(run({"produce", "t", "--partition", "9"}), 1);
  expect_error("no partition 9, only 0 to 1; `weir topic describe`");
}

TEST_F(CommandsTest, ConsumeRefusesWhatContradicts) {
  broker_.add_topic("t", 1);
  EXPECT_EQ(run({"consume", "t", "--follow", "--to", "end"}), 2);
  EXPECT_EQ(run({"consume", "t", "--from", "soon"}), 2);
  expect_error("--from: 'soon' is no place");
  EXPECT_EQ(run({"consume", "t", "--print", "colour"}), 2);
  EXPECT_EQ(run({"consume", "t", "--partition", "4"}), 1);
  expect_error("there is no t partition 4");
}

TEST_F(CommandsTest, NamesAndSeparatorsMayNotBeEmpty) {
  int found = 0;
  for (const Command& command : cluster_commands())
    for (const OptionSpec& option : command.spec.options) {
      if (option.name != "key-separator" && option.name != "group") continue;
      ++found;
      Result<void> checked = check_value(option, "");
      ASSERT_FALSE(checked) << option.name;
      EXPECT_NE(checked.error().message.find("leave the option out"), std::string::npos);
      EXPECT_TRUE(check_value(option, ":"));
    }
  EXPECT_GE(found, 2);
}

TEST_F(CommandsTest, WhatIsNamedTwiceIsSaidOnce) {
  broker_.add_topic("t", 1);
  EXPECT_EQ(run({"topic", "create", "t", "t"}), 1);
  const std::size_t first = console_.errors.find("TOPIC_ALREADY_EXISTS");
  ASSERT_NE(first, std::string::npos) << console_.errors;
  EXPECT_EQ(console_.errors.find("TOPIC_ALREADY_EXISTS", first + 1), std::string::npos);
}

TEST_F(CommandsTest, AReaderThatGoesAwayEndsConsumeQuietly) {
  broker_.add_topic("t", 1);
  console_.input = "aaaa\nbbbb\ncccc\n";
  EXPECT_EQ(run({"produce", "t"}), 0);
  console_.output_max = 6;
  EXPECT_EQ(run({"consume", "t", "--follow"}), 0);
  EXPECT_EQ(console_.output, "aaaa\n");
  EXPECT_EQ(console_.errors, "");
}

TEST_F(CommandsTest, AFollowerEndsWhenTheClusterIsShut) {
  broker_.add_topic("t", 1);
  client_.spawn([](client::Cluster& cluster) -> rt::Task<void> {
    co_await rt::sleep_for(cluster.loop(), 20s);
    cluster.shut();
  }(cluster_));
  EXPECT_EQ(run({"consume", "t", "--follow"}), 0);
  EXPECT_EQ(console_.errors, "");
}

TEST_F(CommandsTest, NobodyThereIsAFailureWithAdvice) {
  broker_node_.vanish();
  EXPECT_EQ(run({"topic", "list", "--timeout", "2s"}), 1);
  expect_error("--bootstrap names another");
}

TEST(NextStep, DependsOnWhetherABrokerHasAnswered) {
  const Error storage{ErrorCode::unavailable, "KAFKA_STORAGE_ERROR"};
  EXPECT_NE(next_step(storage, false, {}).find("--bootstrap names another"), std::string::npos);
  EXPECT_EQ(next_step(storage, true, {}).find("--bootstrap"), std::string::npos);
  const Error corrupt{ErrorCode::corrupt, "what answers at a:9093 does not speak Kafka"};
  EXPECT_NE(next_step(corrupt, false, {}).find("admin HTTP"), std::string::npos);
  EXPECT_NE(next_step(corrupt, true, {}).find("weir verify"), std::string::npos);
  const Error none{ErrorCode::not_found, "there is no group g"};
  EXPECT_EQ(next_step(none, true, {.not_found = "look elsewhere"}), "look elsewhere");
}

TEST_F(CommandsTest, WhatTheClusterRefusesIsNoMistakeOfTheCommandLine) {
  broker_.add_topic("t", 1);
  console_.input = "x\n";
  broker_.refuse_produce = {87};
  EXPECT_EQ(run({"produce", "t"}), 1);
  expect_error("INVALID_RECORD");
  EXPECT_EQ(run({"produce", "t", "--linger", "forever"}), 2);
}

TEST_F(CommandsTest, ACarriageReturnIsPartOfTheValue) {
  broker_.add_topic("t", 1);
  console_.input = "a\r\nb\r";
  EXPECT_EQ(run({"produce", "t"}), 0);
  EXPECT_EQ(run({"consume", "t"}), 0);
  EXPECT_EQ(console_.output, "a\r\nb\r\n");
}

}  // namespace
}  // namespace weir::cli
