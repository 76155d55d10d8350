// inspect, verify and gc on the bucket of a small cluster, with a console that remembers.
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include "cli/bucket_session.h"
#include "commitlog/object_log.h"
#include "engine/testing/cluster_fixture.h"

namespace weir::cli {
namespace {

namespace json = boost::json;

class MemoryConsole final : public Console {
 public:
  Result<void> out(std::string_view text) override {
    output.append(text);
    return {};
  }
  Result<void> flush() override { return {}; }
  bool is_closed() const override { return false; }
  bool is_interrupted() const override { return false; }
  void err(std::string_view text) override { errors.append(text); }
  rt::Task<Result<std::size_t>> read_some(MutableBytes) override { co_return 0; }
  std::string output, errors;
};

class BucketCommandsTest : public engine::testing::ClusterFixture {
 protected:
  void SetUp() override {
    engine::Options options = engine::testing::quick_options("a");
    options.inline_bytes = 600;
    options.snapshot_entries = 10;
    rt::sim::SimNode& host = world_.start_node({.host = "a"});
    auto& engine = host.make<engine::testing::EngineNode>(
        host, engine::testing::SharedStores{store_, object_log_}, std::move(options));
    run_task([](engine::testing::EngineNode& e, rt::Loop& loop) -> rt::Task<void> {
      auto started = co_await e->start(loop.now() + 10s);
      EXPECT_TRUE(started.has_value());
    }(engine, host.loop()));
    TopicId topic = create_topic("a", engine, "orders", 2);
    for (int i = 0; i < 30; ++i) {
      std::string value(i % 3 == 0 ? 2'000 : 10, 'x');
      auto item = engine::testing::batch_of({topic, PartitionIndex(i % 2)}, {value});
      EXPECT_TRUE(produce("a", engine, std::move(item)).ok());
    }
    world_.run_for(5s);
    run_task([](engine::testing::EngineNode& e, rt::Loop& loop) -> rt::Task<void> {
      co_await e->stop(loop.now() + 10s);
    }(engine, host.loop()));
  }
  void run_task(rt::Task<void> task) { ClusterFixture::run(node("a"), std::move(task)); }

  /// Runs `weir WORDS…`.
  int weir(std::vector<std::string> words, bool with_log = true) {
    std::vector<BucketCommand> commands = bucket_commands();
    std::vector<const CommandSpec*> specs;
    for (const BucketCommand& command : commands) specs.push_back(&command.spec);
    FoundCommand found = find_command(specs, words);
    EXPECT_NE(found.command, nullptr);
    Result<Arguments> arguments =
        parse_arguments(*found.command, std::span(words).subspan(found.words));
    EXPECT_TRUE(arguments.has_value());
    Environment none;
    std::vector<FileEntry> no_file;
    Result<Settings> settings = resolve_settings(
        *found.command,
        {.arguments = *arguments, .environment = none, .dotenv = none, .file = no_file});
    EXPECT_TRUE(settings.has_value());
    console_ = MemoryConsole();
    BucketSession session{.settings = *settings,
                          .names = arguments->positionals,
                          .console = console_,
                          .loop = node("a").loop(),
                          .store = store_,
                          .log = with_log ? &object_log_ : nullptr};
    for (const BucketCommand& command : commands)
      if (&command.spec == found.command)
        return static_cast<int>(get(node("a"), command.run(session)));
    return -1;
  }
  std::vector<json::object> lines() {
    std::vector<json::object> out;
    std::size_t at = 0;
    while (at < console_.output.size()) {
      std::size_t end = console_.output.find('\n', at);
      out.push_back(json::parse(console_.output.substr(at, end - at)).as_object());
      at = end + 1;
    }
    return out;
  }
  std::string first_of(const std::string& prefix) {
    auto page = get(node("a"), store_.list(prefix, ""));
    std::string first;
    for (const objstore::ObjectInfo& object : page->objects)
      if (first.empty() || object.name < first) first = object.name;
    EXPECT_FALSE(first.empty());
    return first;
  }
  void damage(const std::string& name, std::size_t at) {
    auto bytes = get(node("a"), store_.get(name));
    SharedBytes copy = SharedBytes::copy_of(bytes->view());
    copy.mutable_view()[at] ^= std::byte{1};
    EXPECT_TRUE(get(node("a"), store_.put(name, BytesChain(copy))).has_value());
  }
  void expect_output(const std::string& part) {
    EXPECT_NE(console_.output.find(part), std::string::npos) << console_.output << console_.errors;
  }
  void expect_error(const std::string& part) {
    EXPECT_NE(console_.errors.find(part), std::string::npos) << console_.errors;
  }

  rt::SeededRandom random_{7};
  commitlog::ObjectLog object_log_{store_, random_};
  MemoryConsole console_;
};

TEST_F(BucketCommandsTest, VerifyIsQuietAboutAGoodBucket) {
  EXPECT_EQ(weir({"verify"}), 0);
  expect_output("no findings\n");
  EXPECT_EQ(weir({"verify", "--quick", "--output", "json"}), 0);
  ASSERT_EQ(lines().size(), 1u);
  EXPECT_EQ(lines()[0].at("findings").as_int64(), 0);
  EXPECT_EQ(lines()[0].at("complete").as_bool(), true);
}

TEST_F(BucketCommandsTest, VerifySaysWhatIsWrongAndFails) {
  std::string name = first_of("data/");
  damage(name, 100);
  EXPECT_EQ(weir({"verify"}), 1);
  expect_output(name + ", topic orders, partition ");
  expect_output("1 finding\n");
  EXPECT_EQ(weir({"verify", "--output", "json"}), 1);
  ASSERT_EQ(lines().size(), 2u);
  EXPECT_EQ(lines()[0].at("kind").as_string(), "damaged_region");
  EXPECT_EQ(lines()[0].at("object").as_string(), name);
  EXPECT_TRUE(lines()[0].at("offset").is_int64());
}

TEST_F(BucketCommandsTest, GcExplainsEveryObject) {
  EXPECT_EQ(weir({"gc", "--dry-run", "--output", "json"}), 0);
  std::size_t referenced = 0;
  for (const json::object& line : lines()) {
    EXPECT_EQ(line.at("fate").as_string(), "kept");
    if (line.at("reason").as_string() == "referenced") ++referenced;
  }
  EXPECT_EQ(referenced, 10u);
  EXPECT_EQ(weir({"gc", "--dry-run"}), 0);
  expect_output("referenced: 1 spans name");
  expect_output("FATE");
  EXPECT_EQ(weir({"gc"}), 2);
  expect_error("--dry-run explains");
}

TEST_F(BucketCommandsTest, InspectShowsASegment) {
  std::string name = first_of("data/");
  EXPECT_EQ(weir({"inspect", "segment", name}), 0);
  expect_output("TOPIC");
  expect_output("orders");
  expect_output("ok\n");
  EXPECT_EQ(weir({"inspect", "object", name, "--output", "json"}), 0);
  const json::object region = lines()[0].at("regions").as_array()[0].as_object();
  EXPECT_EQ(region.at("topic").as_string(), "orders");
  EXPECT_EQ(region.at("batches").as_array().size(), 1u);
  damage(name, 100);
  EXPECT_EQ(weir({"inspect", "segment", name}), 1);
  expect_output("DAMAGED");
  EXPECT_EQ(weir({"inspect", "segment", "data/none"}), 1);
  expect_error("`weir gc --dry-run` lists");
}

TEST_F(BucketCommandsTest, InspectShowsASnapshot) {
  EXPECT_EQ(weir({"inspect", "snapshot"}), 0);
  expect_output("snapshot of cluster");
  expect_output("orders");
  EXPECT_EQ(weir({"inspect", "snapshot", "--output", "json"}), 0);
  const json::object topic = lines()[0].at("topics").as_array()[0].as_object();
  EXPECT_EQ(topic.at("topic").as_string(), "orders");
  EXPECT_EQ(topic.at("partitions").as_array().size(), 2u);
  std::string name = first_of("snapshot/");
  damage(name, 300);
  EXPECT_EQ(weir({"inspect", "snapshot", name}), 1);
  expect_output("DAMAGED");
  auto page = get(node("a"), store_.list("snapshot/", ""));
  std::vector<std::string> all;
  for (const objstore::ObjectInfo& object : page->objects) all.push_back(object.name);
  EXPECT_TRUE(get(node("a"), store_.remove(std::move(all))).has_value());
  EXPECT_EQ(weir({"inspect", "snapshot"}), 1);
  expect_error("brokers write one after 1,000 entries");
}

TEST_F(BucketCommandsTest, InspectShowsTheLog) {
  EXPECT_EQ(weir({"inspect", "log"}), 0);
  expect_output("append_spans");
  expect_output("topic orders partition ");
  expect_output("Z, nonce ");
  expect_output("floor 0, next position ");
  EXPECT_EQ(weir({"inspect", "log", "--output", "json"}), 0);
  ASSERT_EQ(lines().size(), 10u);
  for (const json::object& line : lines()) EXPECT_TRUE(line.at("commands").is_array());
  EXPECT_EQ(weir({"inspect", "log", "0-3"}), 0);
  expect_output("topic orders, id ");
  expect_output("made at ");
  EXPECT_EQ(weir({"inspect", "log", "0-1", "--output", "json"}), 0);
  ASSERT_EQ(lines().size(), 2u);
  EXPECT_EQ(lines()[0].at("commands").as_array()[0].as_object().at("command").as_string(),
            "genesis");
  EXPECT_EQ(weir({"inspect", "log", "5000"}), 1);
  expect_error("is absent");
  EXPECT_EQ(weir({"inspect", "log", "5-4"}), 2);
  EXPECT_EQ(weir({"inspect", "log", "many"}), 2);
  EXPECT_EQ(weir({"inspect", "log"}, false), 1);
  expect_error("--log URL");
  EXPECT_EQ(weir({"inspect", "object", first_of("log/")}), 0);
  expect_output("entry 0");
  damage(first_of("log/"), 120);
  EXPECT_EQ(weir({"inspect", "log", "0"}), 1);
}

}  // namespace
}  // namespace weir::cli
