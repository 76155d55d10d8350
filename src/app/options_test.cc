#include "app/options.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "app/broker_command.h"
#include "app/load_settings.h"
#include "app/program.h"

namespace weir::app {
namespace {

/// A directory of its own for each test, as the working directory of the program.
class OptionsTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "/weir_options_XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    inputs_.directory = pattern;
    inputs_.environment["HOME"] = "/home/anna";
  }
  void TearDown() override { std::filesystem::remove_all(inputs_.directory); }

  void write_file(const std::string& name, const std::string& text) {
    std::ofstream(inputs_.directory + "/" + name) << text;
  }
  Result<cli::Settings> settings(std::vector<std::string> words = {}) {
    Result<cli::Arguments> arguments = cli::parse_arguments(broker_command(), words);
    if (!arguments) return std::unexpected(arguments.error());
    return load_settings(broker_command(), *arguments, inputs_);
  }
  Result<BrokerOptions> options(std::vector<std::string> words = {}) {
    Result<cli::Settings> loaded = settings(std::move(words));
    if (!loaded) return std::unexpected(loaded.error());
    return broker_options(*loaded);
  }
  std::string error(std::vector<std::string> words = {}) {
    Result<BrokerOptions> result = options(std::move(words));
    return result ? "no error" : result.error().message;
  }
  ProcessInputs inputs_;
};

TEST_F(OptionsTest, DefaultsServeOneMachine) {
  BrokerOptions broker = options().value();
  EXPECT_EQ(broker.store_url, "file:///home/anna/.local/share/weir-data");
  EXPECT_FALSE(broker.log_url);
  ASSERT_EQ(broker.listen.size(), 1u);
  EXPECT_EQ(broker.listen[0].name, "PLAINTEXT");
  EXPECT_EQ(broker.listen[0].at, (rt::Endpoint{"localhost", 9092}));
  EXPECT_EQ(broker.admin, (rt::Endpoint{"localhost", 9093}));
  EXPECT_EQ(broker.segment_bytes_target, 8u << 20);
  EXPECT_EQ(broker.log_grace, Duration(1h));
  EXPECT_EQ(broker.identity, Identity::own);
  EXPECT_EQ(broker.log_level, LogLevel::info);
  EXPECT_FALSE(broker.node_id || broker.lanes || broker.memory_bytes || broker.inline_bytes_max);
}

TEST_F(OptionsTest, TheDefaultStoreFollowsTheDataDirectory) {
  inputs_.environment["XDG_DATA_HOME"] = "/data/50%";
  EXPECT_EQ(options()->store_url, "file:///data/50%25/weir-data");
  inputs_.environment.clear();
  EXPECT_NE(error().find("--store URL"), std::string::npos);
}

TEST_F(OptionsTest, EveryOptionIsUnderstood) {
  inputs_.environment["BUCKET"] = "b";
  BrokerOptions broker = options({"--store",
                                  "s3://${BUCKET}/x",
                                  "--log",
                                  "memory://l",
                                  "--listen",
                                  "INT=plaintext://*:0",
                                  "--listen",
                                  "EXT=[::1]:9095",
                                  "--advertise",
                                  "EXT=broker.example.net:19095",
                                  "--admin",
                                  "off",
                                  "--cluster-id",
                                  "c",
                                  "--node-id",
                                  "7",
                                  "--zone",
                                  "z1",
                                  "--identity",
                                  "shared",
                                  "--lanes",
                                  "3",
                                  "--memory",
                                  "256MiB",
                                  "--flush-interval-min",
                                  "0",
                                  "--flush-interval-max",
                                  "250ms",
                                  "--segment-bytes",
                                  "4MiB",
                                  "--inline-bytes",
                                  "0",
                                  "--request-budget",
                                  "50",
                                  "--log-grace",
                                  "none",
                                  "--drain-timeout",
                                  "5s",
                                  "--set",
                                  "message.max.bytes=1000",
                                  "--log-level",
                                  "warn"})
                             .value();
  EXPECT_EQ(broker.store_url, "s3://b/x");
  EXPECT_EQ(broker.log_url, "memory://l");
  EXPECT_EQ(broker.listen[0].at, (rt::Endpoint{"*", 0}));
  EXPECT_EQ(broker.advertised(broker.listen[0]), nullptr);
  EXPECT_EQ(broker.advertised(broker.listen[1])->at.port, 19095);
  EXPECT_FALSE(broker.admin);
  EXPECT_EQ(broker.node_id, NodeId(7));
  EXPECT_EQ(broker.zone, "z1");
  EXPECT_EQ(broker.identity, Identity::shared);
  EXPECT_EQ(broker.lanes, 3u);
  EXPECT_EQ(broker.memory_bytes, 256u << 20);
  EXPECT_EQ(broker.flush_interval_min, Duration(0));
  EXPECT_EQ(broker.flush_interval_max, Duration(250ms));
  EXPECT_EQ(broker.inline_bytes_max, 0u);
  EXPECT_EQ(broker.request_budget, 50u);
  EXPECT_FALSE(broker.log_grace);
  EXPECT_EQ(broker.drain_timeout, Duration(5s));
  ASSERT_EQ(broker.kafka.size(), 1u);
  EXPECT_EQ(broker.kafka[0].name, "message.max.bytes");
  EXPECT_EQ(broker.log_level, LogLevel::warn);
}

TEST_F(OptionsTest, FlagsBeatTheEnvironmentBeatsDotenvBeatsTheFile) {
  write_file("weir.properties",
             "# a comment\nzone = file\nnode-id=1\nlanes=1\nmemory=64MiB\n"
             "num.partitions=3\nlisten=A=:1,B=:2\n");
  write_file(".env", "export WEIR_NODE_ID=2\nWEIR_LANES='2'\nWEIR_MEMORY=128MiB\nstrange line\n");
  inputs_.environment["WEIR_LANES"] = "3";
  inputs_.environment["WEIR_MEMORY"] = "256MiB";
  inputs_.environment["WEIR_CONFIG_FILE"] = "weir.properties";
  BrokerOptions broker = options({"--memory", "512MiB", "--set", "num.partitions=9"}).value();
  EXPECT_EQ(broker.zone, "file");
  EXPECT_EQ(broker.node_id, NodeId(2));
  EXPECT_EQ(broker.lanes, 3u);
  EXPECT_EQ(broker.memory_bytes, 512u << 20);
  EXPECT_EQ(broker.listen.size(), 2u);
  ASSERT_EQ(broker.kafka.size(), 2u);
  EXPECT_EQ(broker.kafka[0].source, "weir.properties line 6");
  EXPECT_EQ(broker.kafka[1].value, "9");
}

TEST_F(OptionsTest, PrintConfigShowsValuesAndSources) {
  write_file("c", "zone=z\nssl.key.password=a;b,c\n");
  std::string text = cli::describe_settings(settings({"--config-file", "c"}).value());
  for (const char* part :
       {"zone = z  # c line 1\n", "set = ssl.key.password=********  # c line 2\n",
        "listen = localhost:9092  # default\n", "lanes = (one per core)\n",
        "store = file:///home/anna/.local/share/weir-data  # default\n"})
    EXPECT_NE(text.find(part), std::string::npos) << text;
}

TEST_F(OptionsTest, ErrorsSayWhatWhereAndWhatToDo) {
  write_file("bad", "zone=z\nstroe=x\n");
  write_file("worse", "zone\n");
  struct Case {
    std::vector<std::string> words;
    std::vector<const char*> parts;
  };
  const Case cases[] = {
      {{"--stroe", "x"}, {"did you mean --store?"}},
      {{"--config-file", "none"}, {"--config-file", "cannot read", "No such file"}},
      {{"--config-file", "bad"}, {"bad line 2", "'stroe'", "--help"}},
      {{"--config-file", "worse"}, {"worse line 1", "name=value"}},
      {{"--cluster-id", ""}, {"--cluster-id", "is empty; leave it out"}},
      {{"--cluster-id", "a b/.."}, {"--cluster-id", "letters, digits"}},
      {{"--zone", std::string(256, 'z')}, {"--zone", "longer than 255 bytes"}},
      {{"--listen", "9092"}, {"--listen", "no port", "HOST:PORT"}},
      {{"--listen", "http://h:1"}, {"unknown protocol", "sasl_ssl"}},
      {{"--listen", "ssl://h:1"}, {"needs TLS"}},
      {{"--listen", ":1", "--listen", ":2"}, {"second listener named PLAINTEXT"}},
      {{"--listen", "a b=:1"}, {"listener name"}},
      {{"--advertise", "X=h:1"}, {"--advertise", "names no listener"}},
      {{"--advertise", "*:1"}, {"no address that a client"}},
      {{"--listen", "A=:1", "--listen", "B=:2", "--advertise", "h:1"}, {"which listener"}},
      {{"--admin", "on"}, {"--admin", "no port"}},
      {{"--set", "x"}, {"--set", "kafka.option=value"}},
      {{"--flush-interval-min", "2s", "--flush-interval-max", "1s"}, {"longer than"}},
      {{"--flush-interval-max", "forever"}, {"never flush"}},
      {{"--memory", "1MiB"}, {"at least 64MiB"}},
      {{"--zone", "a\x1b[2J"}, {"control characters"}},
      {{"--segment-bytes", "1KiB"}, {"64KiB to 1GiB"}},
      {{"--log-grace", "soon"}, {"--log-grace", "not a duration"}},
      {{"--drain-timeout", "forever"}, {"never end"}},
      {{"--node-id", "0"}, {"less than 1"}},
      {{"topic"}, {"one word too many"}},
  };
  for (const Case& c : cases) {
    std::string message = error(c.words);
    for (const char* part : c.parts) EXPECT_NE(message.find(part), std::string::npos) << message;
  }
}

TEST_F(OptionsTest, ABrokenDotenvLineOfOursIsAnError) {
  write_file(".env", "\nWEIR_ZONE z\n");
  EXPECT_NE(error().find(".env line 2"), std::string::npos);
}

TEST(ReadyLine, NamesEveryListenerAndAdmin) {
  EXPECT_EQ(ready_line({{Protocol::plaintext, {"127.0.0.1", 9092}}, {Protocol::ssl, {"::1", 1}}},
                       rt::Endpoint{"127.0.0.1", 9093}),
            "weir ready listen=plaintext://127.0.0.1:9092 listen=ssl://[::1]:1 "
            "admin=http://127.0.0.1:9093");
  EXPECT_EQ(ready_line({}, std::nullopt), "weir ready");
}

TEST_F(OptionsTest, AMistakeInTheFileSaysOnceWhereHelpIs) {
  write_file("w.properties", "lisen=:9092\n");
  Invocation invocation = Program().parse({"broker", "--config-file", "w.properties"}, inputs_);
  EXPECT_EQ(invocation.status, cli::ExitStatus::usage);
  const std::string& text = invocation.text;
  EXPECT_NE(text.find("line 1: 'lisen'"), std::string::npos) << text;
  EXPECT_EQ(text.find("--help`"), text.rfind("--help`")) << text;
}

TEST_F(OptionsTest, AMistakeInDotenvIsNamed) {
  write_file(".env", "WEIR_LISTN=:1\nPATH_OF_OTHERS=x\n");
  EXPECT_NE(Program().parse({"topic", "list"}, inputs_).warning.find("WEIR_LISTN in .env"),
            std::string::npos);
}

}  // namespace
}  // namespace weir::app
