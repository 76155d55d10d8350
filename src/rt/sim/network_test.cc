// Faults of the simulated network.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "rt/scope.h"
#include "rt/sim/fabric.h"
#include "rt/sim/node.h"
#include "rt/sim/world.h"

namespace weir::rt::sim {
namespace {

constexpr std::uint16_t kPort = 9092;

/// Answers each byte with the same byte.
Task<void> serve_stream(std::unique_ptr<Stream> stream) {
  std::vector<std::byte> buffer(100);
  for (;;) {
    auto got = co_await stream->read_some(buffer);
    if (!got || *got == 0) co_return;
    Bytes part = Bytes(buffer).first(*got);
    if (!co_await stream->write(std::span(&part, 1))) co_return;
  }
}

Task<void> serve(SimNode& node) {
  auto listener = node.network().listen(node.loop(), {"", kPort});
  EXPECT_TRUE(listener.has_value());
  for (;;) {
    auto stream = co_await (*listener)->accept(node.loop());
    EXPECT_TRUE(stream.has_value());
    node.spawn(serve_stream(*std::move(stream)));
  }
}

struct Outcome {
  int answers = 0;
  std::optional<Error> error;
  MonoTime last{};
};

/// Sends a byte and waits for it, again and again, until the connection fails.
Task<void> ping(SimNode& node, Outcome& outcome) {
  auto stream =
      co_await node.network().connect(node.loop(), {"server", kPort}, node.loop().now() + 5s);
  if (!stream) {
    outcome.error = stream.error();
    co_return;
  }
  for (;;) {
    std::byte byte{};
    Bytes part(&byte, 1);
    auto put = co_await (*stream)->write(std::span(&part, 1));
    auto got = put ? co_await (*stream)->read_some(std::span(&byte, 1))
                   : Result<std::size_t>(std::unexpected(put.error()));
    if (!got || *got == 0) {
      outcome.error = got ? Error{ErrorCode::closed, "end"} : got.error();
      co_return;
    }
    ++outcome.answers;
    outcome.last = node.world().now();
    co_await sleep_for(node.loop(), 1ms);
  }
}

class SimNetworkFaults : public testing::Test {
 protected:
  SimNetworkFaults() {
    server().spawn(serve(server()));
    client_.spawn(ping(client_, outcome_));
    world_.run_for(1s);
    EXPECT_GT(outcome_.answers, 100);
    before_ = outcome_.answers;
  }
  SimNode& server() { return *world_.node("server"); }
  int answers_since() { return outcome_.answers - std::exchange(before_, outcome_.answers); }

  SimWorld world_{7};
  SimNode& server_{world_.start_node({.host = "server"})};
  SimNode& client_{world_.start_node({.host = "client"})};
  Outcome outcome_;
  int before_ = 0;
};

TEST_F(SimNetworkFaults, PartitionDelaysAndHealDelivers) {
  for (int way = 0; way < 3; ++way) {
    if (way != 1) world_.fabric().block("client", "server");
    if (way != 0) world_.fabric().block("server", "client");
    world_.run_for(100ms);
    answers_since();
    world_.run_for(10s);
    EXPECT_EQ(answers_since(), 0);
    EXPECT_FALSE(outcome_.error.has_value());
    world_.fabric().heal("client", "server");
    world_.run_for(1s);
    EXPECT_GT(answers_since(), 100);
  }
}

TEST_F(SimNetworkFaults, KilledServerBreaksItsConnections) {
  server().kill();
  world_.run_for(1s);
  ASSERT_TRUE(outcome_.error.has_value());
  EXPECT_TRUE(outcome_.error->is(ErrorCode::closed));
  // Nobody listens until another process starts.
  Outcome refused;
  client_.spawn(ping(client_, refused));
  world_.run_for(1s);
  ASSERT_TRUE(refused.error.has_value());
  EXPECT_TRUE(refused.error->is(ErrorCode::closed));
  SimNode& next = world_.start_node({.host = "server"});
  next.spawn(serve(next));
  Outcome fresh;
  client_.spawn(ping(client_, fresh));
  world_.run_for(1s);
  EXPECT_GT(fresh.answers, 100);
}

TEST_F(SimNetworkFaults, VanishedMachineIsSilentUntilItIsBack) {
  world_.lose_power("server");
  world_.run_for(1min);
  EXPECT_FALSE(outcome_.error.has_value());
  Outcome late;
  client_.spawn(ping(client_, late));
  world_.run_for(1min);
  ASSERT_TRUE(late.error.has_value());
  EXPECT_TRUE(late.error->is(ErrorCode::timed_out));
  world_.start_node({.host = "server"});
  world_.run_for(1s);
  ASSERT_TRUE(outcome_.error.has_value());
  EXPECT_TRUE(outcome_.error->is(ErrorCode::closed));
}

TEST_F(SimNetworkFaults, PausedServerAnswersLater) {
  server().pause();
  world_.run_for(1s);
  answers_since();
  world_.run_for(10s);
  EXPECT_EQ(answers_since(), 0);
  // The kernel of a paused process still completes connections.
  Outcome patient;
  client_.spawn(ping(client_, patient));
  world_.run_for(10s);
  EXPECT_FALSE(patient.error.has_value());
  server().resume();
  world_.run_for(1s);
  EXPECT_GT(answers_since(), 100);
  EXPECT_GT(patient.answers, 100);
}

TEST_F(SimNetworkFaults, ResetEndsBothSides) {
  world_.fabric().reset_connections("client", "server");
  world_.run_for(1s);
  ASSERT_TRUE(outcome_.error.has_value());
  EXPECT_TRUE(outcome_.error->is(ErrorCode::closed));
  EXPECT_EQ(server().running(), 1u);
}

TEST_F(SimNetworkFaults, PartitionedConnectTimesOutOrCompletesAfterHeal) {
  world_.fabric().partition("client", "server");
  Outcome first;
  client_.spawn(ping(client_, first));
  world_.run_for(6s);
  ASSERT_TRUE(first.error.has_value());
  EXPECT_TRUE(first.error->is(ErrorCode::timed_out));
  Outcome second;
  client_.spawn(ping(client_, second));
  world_.run_for(2s);
  world_.fabric().heal("client", "server");
  world_.run_for(3s);
  EXPECT_GT(second.answers, 100);
}

TEST_F(SimNetworkFaults, SlowLinkIsSlow) {
  world_.fabric().set_link("server", "client",
                           {.latency_min = 100ms, .latency_max = 100ms, .slow_one_in = 0});
  world_.run_for(200ms);
  answers_since();
  world_.run_for(10s);
  int slow = answers_since();
  EXPECT_GT(slow, 90);
  EXPECT_LT(slow, 100);
}

Task<void> send_bytes(SimNode& node, std::size_t bytes, bool& done) {
  auto stream =
      co_await node.network().connect(node.loop(), {"sink", kPort}, node.loop().now() + 5s);
  EXPECT_TRUE(stream.has_value());
  std::vector<std::byte> data(bytes);
  Bytes part(data);
  EXPECT_TRUE((co_await (*stream)->write(std::span(&part, 1))).has_value());
  done = true;
}

Task<void> sink(SimNode& node, std::size_t& total, MonoTime& ended) {
  auto listener = node.network().listen(node.loop(), {"", kPort});
  auto stream = co_await (*listener)->accept(node.loop());
  std::vector<std::byte> buffer(1 << 20);
  for (;;) {
    auto got = co_await (*stream)->read_some(buffer);
    if (!got || *got == 0) break;
    total += *got;
    ended = node.world().now();
  }
}

TEST(SimNetwork, BandwidthIsLimited) {
  SimWorld world(3);
  world.fabric().set_link("source", "sink", {.bytes_per_second = 1'000'000});
  SimNode& source = world.start_node({.host = "source"});
  SimNode& target = world.start_node({.host = "sink"});
  std::size_t total = 0;
  MonoTime ended{};
  bool done = false;
  target.spawn(sink(target, total, ended));
  world.run_for(1ms);
  source.spawn(send_bytes(source, 10'000'000, done));
  world.run_for(1min);
  EXPECT_TRUE(done);
  EXPECT_EQ(total, 10'000'000u);
  EXPECT_GT(ended.time_since_epoch(), 10s);
  EXPECT_LT(ended.time_since_epoch(), 11s);
}

std::uint64_t run_with_faults(std::uint64_t seed) {
  SimWorld world(seed);
  Outcome outcomes[4];
  SimNode* client = &world.start_node({.host = "client"});
  for (int i = 0; i < 20; ++i) {
    if (world.node("server") == nullptr) {
      SimNode& server = world.start_node({.host = "server"});
      server.spawn(serve(server));
    }
    client->spawn(ping(*client, outcomes[i % 4]));
    world.run_for(100ms);
    switch (world.random().below(4)) {
      case 0: world.node("server")->kill(); break;
      case 1: world.lose_power("server"); break;
      case 2: world.fabric().block("server", "client"); break;
      case 3: world.fabric().heal_all(); break;
    }
    if (client->running() > 3) {
      client->kill();
      client = &world.start_node({.host = "client"});
    }
  }
  world.run_for(10s);
  return world.trace_hash();
}

TEST(SimNetwork, EqualSeedsGiveEqualTracesUnderFaults) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    EXPECT_EQ(run_with_faults(seed), run_with_faults(seed)) << "seed " << seed;
  }
}

}  // namespace
}  // namespace weir::rt::sim
