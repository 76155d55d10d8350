#include "app/program.h"

#include <gtest/gtest.h>

namespace weir::app {
namespace {

class ProgramTest : public testing::Test {
 protected:
  ProgramTest() {
    inputs_.directory = "/nonexistent";
    inputs_.environment["HOME"] = "/home/anna";
  }
  Invocation parse(const std::vector<std::string>& words) { return program_.parse(words, inputs_); }
  void expect_print(const std::vector<std::string>& words, int status, const char* part) {
    Invocation invocation = parse(words);
    EXPECT_EQ(invocation.kind, Invocation::Kind::print);
    EXPECT_EQ(static_cast<int>(invocation.status), status);
    EXPECT_NE(invocation.text.find(part), std::string::npos) << invocation.text;
  }
  Program program_;
  ProcessInputs inputs_;
};

TEST_F(ProgramTest, TheBrokerIsTheDefaultCommand) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{}, {"broker"}, {"--zone", "z"}, {"broker", "--zone", "z"}})
    EXPECT_EQ(parse(words).kind, Invocation::Kind::broker);
  EXPECT_EQ(parse({"--zone", "z"}).settings->text("zone"), "z");
}

TEST_F(ProgramTest, FindsCommandsWithTheirNames) {
  Invocation invocation = parse({"topic", "create", "a", "b"});
  ASSERT_EQ(invocation.kind, Invocation::Kind::cluster);
  EXPECT_EQ(invocation.command->spec.path, "topic create");
  EXPECT_EQ(invocation.names, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(invocation.settings->text("bootstrap"), "localhost:9092");
}

TEST_F(ProgramTest, FindsCommandsThatNeedNoBroker) {
  Invocation invocation = parse({"inspect", "segment", "data/x", "--store", "file:///srv/w"});
  ASSERT_EQ(invocation.kind, Invocation::Kind::bucket);
  EXPECT_EQ(invocation.bucket_command->spec.path, "inspect segment");
  EXPECT_EQ(invocation.names, std::vector<std::string>{"data/x"});
  EXPECT_EQ(invocation.settings->text("store"), "file:///srv/w");
  EXPECT_EQ(parse({"verify"}).settings->text("store"), "file:///home/anna/.local/share/weir-data");
  expect_print({"gc", "--help"}, 0, "--dry-run");
  expect_print({"inspect"}, 2, "'inspect' needs one of snapshot, log, segment, object");
}

TEST_F(ProgramTest, BootstrapAndOutputComeFromTheEnvironmentToo) {
  inputs_.environment["WEIR_BOOTSTRAP"] = "far:1";
  inputs_.environment["WEIR_OUTPUT"] = "json";
  Invocation invocation = parse({"topic", "list"});
  EXPECT_EQ(invocation.settings->text("bootstrap"), "far:1");
  EXPECT_EQ(invocation.settings->text("output"), "json");
}

TEST_F(ProgramTest, HelpAndVersionAreForPeople) {
  expect_print({"--version"}, 0, "weir 0.");
  expect_print({"--help"}, 0, "topic create");
  expect_print({"help"}, 0, "commands:");
  expect_print({"topic", "--help"}, 0, "usage: weir topic COMMAND");
  expect_print({"topic", "--help"}, 0, "topic describe");
  EXPECT_EQ(parse({"topic", "--help"}).text.find("run a broker"), std::string::npos);
  expect_print({"help", "topic"}, 0, "usage: weir topic COMMAND");
  expect_print({"help", "topic", "create"}, 0, "usage: weir topic create NAME…");
  expect_print({"help", "topci"}, 2, "did you mean topic?");
  expect_print({"consume", "-h"}, 0, "usage: weir consume TOPIC");
  expect_print({"--store", "x://y", "--help"}, 0, "usage: weir broker");
  expect_print({"--print-config"}, 0, "listen = localhost:9092  # default\n");
  expect_print({"--print-config"}, 0, "iB  # a quarter of the RAM, at most 4GiB\n");
}

TEST_F(ProgramTest, EveryCommandHasHelpWithExamples) {
  for (const cli::Command& command : cli::cluster_commands()) {
    std::vector<std::string> words;
    std::string path(command.spec.path);
    std::size_t space = path.find(' ');
    words.push_back(path.substr(0, space));
    if (space != std::string::npos) words.push_back(path.substr(space + 1));
    words.push_back("--help");
    expect_print(words, 0, "\nexamples:\n");
    expect_print(words, 0, "[WEIR_BOOTSTRAP]");
  }
  for (const cli::PerfCommand& command : cli::perf_commands()) {
    const std::string path(command.spec.path);
    const std::size_t space = path.find(' ');
    expect_print({path.substr(0, space), path.substr(space + 1), "--help"}, 0, "\nexamples:\n");
  }
  for (const cli::BucketCommand& command : cli::bucket_commands()) {
    std::string path(command.spec.path);
    std::size_t space = path.find(' ');
    std::vector<std::string> words{path.substr(0, space)};
    if (space != std::string::npos) words.push_back(path.substr(space + 1));
    words.push_back("--help");
    expect_print(words, 0, "\nexamples:\n");
    expect_print(words, 0, "[WEIR_STORE]");
  }
  expect_print({"broker", "--help"}, 0, "\nexamples:\n");
}

TEST_F(ProgramTest, MistakesAreExplainedWithStatusTwo) {
  expect_print({"topci"}, 2, "did you mean topic?");
  expect_print({"topic"}, 2, "'topic' needs one of create, list, describe, alter, delete");
  expect_print({"topic", "creat", "x"}, 2, "did you mean topic create?");
  expect_print({"topic", "create"}, 2, "weir topic create: it needs NAME…");
  expect_print({"produce", "t", "--codec", "rar"}, 2, "none of none, gzip, snappy, lz4 and zstd");
  expect_print({"broker", "--memory", "lots"}, 2, "--memory: 'lots' is not a size");
  expect_print({"broker", "--memory", "99999999999TiB"}, 2, "more than any machine has");
  expect_print({"--version", "extra"}, 2, "'extra' is one word too many");
  expect_print({"completion", "csh"}, 2, "no shell");
  expect_print({"--zoen", "z"}, 2, "weir broker: there is no option --zoen; did you mean --zone?");
}

TEST_F(ProgramTest, VariablesThatAreNoneOfOursAreNamed) {
  inputs_.environment["WEIR_LISTN"] = "x:1";
  inputs_.environment["WEIR_BOOTSTRAP"] = "far:1";
  inputs_.environment["WEIR_SERVICE_HOST"] = "10.0.0.1";
  inputs_.environment["WEIR_PORT_9092_TCP"] = "tcp://10.0.0.1:9092";
  inputs_.environment["WEIR_KINGFISHER"] = "1";
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{}, {"topic", "list"}, {"verify"}, {"--print-config"}})
    EXPECT_EQ(parse(words).warning,
              "weir: warning: WEIR_KINGFISHER, WEIR_LISTN (did you mean WEIR_LISTEN?): no such "
              "option, so it has no effect\n");
  inputs_.environment.clear();
  inputs_.environment["HOME"] = "/home/anna";
  EXPECT_EQ(parse({}).warning, "");
}

TEST_F(ProgramTest, CompletionKnowsEveryCommand) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    expect_print({"completion", shell}, 0, "print-config");
    expect_print({"completion", shell}, 0, "if-not-exists");
  }
}

}  // namespace
}  // namespace weir::app
