#include "admin/admin_server.h"

#include <gtest/gtest.h>

#include "rt/sim/node.h"
#include "rt/sim/world.h"

namespace weir::admin {
namespace {

class FakeCatalog final : public state::Catalog {
 public:
  const std::string& cluster_id() const override { return id; }
  const state::TopicInfo* topic(std::string_view) const override { return nullptr; }
  const state::TopicInfo* topic(TopicId) const override { return nullptr; }
  std::optional<state::PartitionInfo> partition(state::PartitionRef) const override { return {}; }
  std::vector<state::ProducerInfo> producers(state::PartitionRef) const override { return {}; }
  std::size_t topic_count() const override { return 3; }
  void visit_topics(std::string_view,
                    const std::function<bool(const state::TopicInfo&)>&) const override {}
  const std::vector<state::BrokerInfo>& brokers() const override { return live; }
  LeaderEpoch placement_epoch() const override { return LeaderEpoch(5); }
  const state::ConfigMap& broker_configs(NodeId) const override { return configs; }
  std::int32_t broker_config_version(NodeId) const override { return 0; }
  const state::ConfigMap& resource_configs(state::ResourceType, std::string_view) const override {
    return configs;
  }
  std::int32_t resource_config_version(state::ResourceType, std::string_view) const override {
    return 0;
  }
  std::int32_t resources_version() const override { return 0; }
  void visit_resources(
      state::ResourceType,
      const std::function<void(const std::string&, const state::ConfigMap&)>&) const override {}

  std::string id = "weir-\"x\"";
  std::vector<state::BrokerInfo> live{
      {.node_id = NodeId(1), .zone = "z1", .endpoints = {{"PLAINTEXT", "plaintext", "h", 9092}}}};
  state::ConfigMap configs;
};

/// Knows only where it stands; all else must not be asked by admin pages.
class FakeEngine final : public engine::Engine {
 public:
  explicit FakeEngine(rt::Loop& loop) : loop_(loop) {}
  rt::Loop& loop() override { return loop_; }
  const state::Catalog& catalog() const override { return catalog_; }
  engine::Status status() const override {
    EXPECT_TRUE(loop_.is_current()) << "engine state is read on the engine's loop";
    return now;
  }
  NodeId node_id() const override { return NodeId(1); }
  rt::Task<Result<void>> barrier(MonoTime) override { co_return Result<void>(); }
  rt::Task<std::vector<engine::ProduceOutcome>> produce(std::vector<engine::ProduceItem>,
                                                        MonoTime) override {
    co_return std::vector<engine::ProduceOutcome>();
  }
  rt::Task<std::vector<engine::FetchedPartition>> fetch(std::vector<engine::FetchItem>,
                                                        engine::FetchOptions,
                                                        const bool*) override {
    co_return std::vector<engine::FetchedPartition>();
  }
  void wake_parked() override {}
  rt::Task<std::vector<engine::TimestampAnswer>> find_timestamps(
      std::vector<engine::TimestampQuery>, MonoTime) override {
    co_return std::vector<engine::TimestampAnswer>();
  }
  rt::Task<std::vector<engine::CreateTopicOutcome>> create_topics(std::vector<engine::NewTopic>,
                                                                  MonoTime) override {
    co_return std::vector<engine::CreateTopicOutcome>();
  }
  rt::Task<std::vector<engine::Outcome>> delete_topics(std::vector<TopicId>, MonoTime) override {
    co_return std::vector<engine::Outcome>();
  }
  rt::Task<std::vector<engine::Outcome>> create_partitions(std::vector<engine::GrowTopic>,
                                                           MonoTime) override {
    co_return std::vector<engine::Outcome>();
  }
  rt::Task<std::vector<engine::Outcome>> alter_configs(std::vector<engine::AlterConfig>,
                                                       MonoTime) override {
    co_return std::vector<engine::Outcome>();
  }
  rt::Task<std::vector<engine::DeleteRecordsOutcome>> delete_records(
      std::vector<engine::DeleteRecordsItem>, MonoTime) override {
    co_return std::vector<engine::DeleteRecordsOutcome>();
  }
  rt::Task<engine::Outcome> raise_feature_level(FeatureLevel, MonoTime) override {
    co_return engine::Outcome();
  }
  rt::Task<engine::Outcome> expire_broker(NodeId, MonoTime) override {
    co_return engine::Outcome();
  }
  rt::Task<Result<ProducerId>> new_producer_id(MonoTime) override { co_return ProducerId(1); }
  engine::ConsumerGroupApi& consumer_groups() override {
    ensure_failed("nobody asks for groups here", __FILE__, __LINE__);
  }
  engine::GroupApi& groups() override {
    ensure_failed("nobody asks for groups here", __FILE__, __LINE__);
  }

  engine::Status now;

 private:
  rt::Loop& loop_;
  FakeCatalog catalog_;
};

rt::Task<void> request(rt::sim::SimNode& node, std::string text, std::string& answer) {
  auto stream =
      co_await node.network().connect(node.loop(), {"broker", 9093}, node.loop().now() + 5s);
  if (!stream) co_return;
  Bytes part = as_bytes(text);
  (void)co_await (*stream)->write(std::span(&part, 1));
  std::array<std::byte, 4096> bytes;
  for (;;) {
    Result<std::size_t> size = co_await (*stream)->read_some(bytes);
    if (!size || *size == 0) co_return;
    answer.append(as_text(Bytes(bytes).first(*size)));
  }
}

class AdminServerTest : public testing::Test {
 protected:
  AdminServerTest() {
    pool_.try_reserve(100);
    ring_.record(MonoTime(Duration(7)), DecisionKind::propose, {.a = 11, .b = 2}, "first");
    ring_.record(MonoTime(Duration(9)), DecisionKind::entry_won, {.a = 11}, "second");
    auto server =
        AdminServer::start(broker_.loop(), broker_.network(), {"broker", 9093},
                           {.metrics = metrics_, .pools = {&pool_}, .rings = {&ring_}}, log_);
    EXPECT_TRUE(server);
    server_ = std::move(*server);
    engine_.now = {.folded = Position(41), .node_id = NodeId(1), .ready = true};
    engine_.now.state_digest_high = 0xabc;
  }
  ~AdminServerTest() override {
    broker_.spawn(server_->stop());
    world_.run_for(1s);
  }
  std::string ask(const std::string& method, const std::string& target) {
    std::string answer;
    client_.spawn(request(client_, method + " " + target + " HTTP/1.0\r\n\r\n", answer));
    world_.run_for(2s);
    return answer;
  }
  void expect(const std::string& answer, std::vector<const char*> parts) {
    for (const char* part : parts) EXPECT_NE(answer.find(part), std::string::npos) << answer;
  }

  NullLogger log_;
  Metrics metrics_;
  MemoryPool pool_{"in", 1000};
  DecisionRing ring_{"state"};
  rt::sim::SimWorld world_{7};
  rt::sim::SimNode& broker_ = world_.start_node({.host = "broker"});
  rt::sim::SimNode& client_ = world_.start_node({.host = "client"});
  /// On another loop of the process, as in a broker with lanes.
  FakeEngine engine_{broker_.make_loop()};
  std::unique_ptr<AdminServer> server_;
};

TEST_F(AdminServerTest, IsHealthyButNotReadyBeforeThereIsAnEngine) {
  expect(ask("GET", "/healthz"), {"HTTP/1.1 200 OK", "\r\n\r\nok\n"});
  expect(ask("GET", "/readyz"), {"HTTP/1.1 503 ", "starting"});
  expect(ask("GET", "/metrics"), {"200 OK", "weir_ready 0\n"});
}

TEST_F(AdminServerTest, ReadyFollowsTheEngineAndSaysWhyNot) {
  server_->set_engine(&engine_);
  expect(ask("GET", "/readyz"), {"200 OK", "ready\n"});
  engine_.now.ready = false;
  expect(ask("GET", "/readyz"), {"503 Service Unavailable", "catching up or draining"});
  engine_.now.node_id.reset();
  expect(ask("GET", "/readyz"), {"503 ", "not registered yet"});
  engine_.now.commit_trouble = "no space left";
  expect(ask("GET", "/readyz"), {"503 ", "cannot commit: no space left"});
  engine_.now.halted = "the log is another cluster's";
  expect(ask("GET", "/readyz"), {"503 ", "halted: the log is another cluster's"});
  expect(ask("GET", "/healthz"), {"200 OK"});
}

TEST_F(AdminServerTest, MetricsHoldTheRegistryAndTheEnginesGauges) {
  metrics_.counter("weir_requests_total", "Requests.", "api=\"Fetch\"").add(5);
  server_->set_engine(&engine_);
  engine_.now.parked_fetches = 12;
  expect(
      ask("GET", "/metrics"),
      {"Content-Type: text/plain; version=0.0.4", "weir_requests_total{api=\"Fetch\"} 5\n",
       "weir_folded_position 41\n", "weir_parked_fetches 12\n", "weir_topics 3\n",
       "weir_live_brokers 1\n", "weir_ready 1\n", "weir_memory_pool_used_bytes{pool=\"in\"} 100\n",
       "weir_memory_pool_limit_bytes{pool=\"in\"} 1000\n", "weir_build_info{version=\""});
}

TEST_F(AdminServerTest, StateIsValidJson) {
  server_->set_engine(&engine_);
  expect(ask("GET", "/debug/state"),
         {"Content-Type: application/json", "{\"cluster_id\":\"weir-\\\"x\\\"\"", "\"folded\":41",
          "\"state_digest\":\"0000000000000abc0000000000000000\"", "\"zone\":\"z1\"",
          "{\"pool\":\"in\",\"used_bytes\":100,\"limit_bytes\":1000}"});
}

TEST_F(AdminServerTest, DecisionsShowTheLastOnes) {
  expect(ask("GET", "/debug/decisions"),
         {"\"ring\":\"state\",\"recorded\":2",
          "{\"at_ns\":7,\"kind\":\"propose\",\"a\":11,\"b\":2,\"c\":0,\"label\":\"first\"}",
          "\"label\":\"second\""});
  EXPECT_EQ(ask("GET", "/debug/decisions?limit=1").find("first"), std::string::npos);
}

TEST_F(AdminServerTest, OtherPathsAndMethodsAreRefused) {
  expect(ask("GET", "/nothing"), {"404 Not Found"});
  expect(ask("POST", "/nothing"), {"404 Not Found"});
  expect(ask("POST", "/metrics"), {"405 Method Not Allowed", "Allow: GET, HEAD\r\n"});
  expect(ask("GET", "/"), {"200 OK", "/debug/state"});
  std::string head = ask("HEAD", "/healthz");
  expect(head, {"200 OK", "Content-Length: 3\r\n"});
  EXPECT_TRUE(head.ends_with("\r\n\r\n"));
}

}  // namespace
}  // namespace weir::admin
