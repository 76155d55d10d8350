// Deadlines, the turnstile, options of the server.
#include <gtest/gtest.h>

#include "broker/deadlines.h"
#include "broker/server_options.h"
#include "broker/turnstile.h"
#include "rt/sim/node.h"
#include "rt/sim/world.h"

namespace weir::broker {
namespace {

TEST(Deadlines, AreTakenWithinBounds) {
  const MonoTime now{};
  EXPECT_EQ(deadline_of(0, now, 5000) - now, 5s);
  EXPECT_EQ(deadline_of(0, now, 0) - now, 100ms) << "zero means soon";
  EXPECT_EQ(deadline_of(0, now, INT32_MAX) - now, 300s) << "nothing waits for ever";
  EXPECT_EQ(deadline_of(1, now, 0) - now, 0s) << "a fetch with max_wait 0 answers at once";
  EXPECT_EQ(deadline_of(3, now) - now, 10s);
  EXPECT_EQ(deadline_of(999, now) - now, 20s);
}

TEST(Deadlines, EachExpiryIsOneThatItsClientsRetry) {
  for (const ApiDeadline& row : kDeadlines) {
    EXPECT_LE(row.at_least, row.at_most);
    const KafkaError expired = to_kafka(row.api, ErrorCode::timed_out);
    EXPECT_NE(expired, KafkaError::unknown_server_error) << row.key;
    EXPECT_NE(expired, KafkaError::none) << row.key;
  }
}

rt::Task<void> pass(Turnstile* gate, std::uint64_t ticket, rt::Loop* loop, Duration wait,
                    std::vector<std::uint64_t>* order) {
  if (wait > 0ns) co_await rt::sleep_for(*loop, wait);
  co_await gate->enter(ticket);
  gate->leave(ticket);
  order->push_back(ticket);
}

TEST(Turnstile, LetsThroughInTheOrderOfTickets) {
  rt::sim::SimWorld world(1);
  rt::sim::SimNode& node = world.start_node({.host = "n"});
  auto& gate = node.make<Turnstile>(node.loop());
  std::vector<std::uint64_t> order;
  for (int i = 0; i < 10; ++i)
    node.spawn(pass(&gate, gate.take_ticket(), &node.loop(), (10 - i) * 1ms, &order));
  world.run_for(1s);
  EXPECT_EQ(order, (std::vector<std::uint64_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
}

TEST(Turnstile, WhoGivesUpHoldsUpNobody) {
  rt::sim::SimWorld world(1);
  rt::sim::SimNode& node = world.start_node({.host = "n"});
  auto& gate = node.make<Turnstile>(node.loop());
  std::vector<std::uint64_t> order;
  for (int i = 0; i < 3; ++i) gate.take_ticket();
  node.spawn(pass(&gate, 2, &node.loop(), 0ns, &order));
  world.run_for(1s);
  EXPECT_TRUE(order.empty());
  gate.leave(1);
  world.run_for(1s);
  EXPECT_TRUE(order.empty()) << "0 has not left";
  gate.leave(0);
  world.run_for(1s);
  EXPECT_EQ(order, std::vector<std::uint64_t>{2});
}

TEST(ServerOptions, HaveKafkasDefaultsAndNames) {
  ServerOptions plain = server_options({}).value();
  EXPECT_EQ(plain.frame_bytes_max, 104'857'600u);
  EXPECT_EQ(plain.idle_max, 600s);
  ServerOptions given = server_options({{"socket.request.max.bytes", "1000"},
                                        {"connections.max.idle.ms", "-1"},
                                        {"max.connections.per.ip.overrides", "::1:5,10.0.0.1:2"}})
                            .value();
  EXPECT_EQ(given.frame_bytes_max, 1000u);
  EXPECT_GT(given.idle_max, 24h * 365 * 100);
  EXPECT_EQ(given.per_ip_overrides.at("::1"), 5u);
  EXPECT_EQ(given.per_ip_overrides.at("10.0.0.1"), 2u);
}

TEST(ServerOptions, BadValuesNameTheKey) {
  for (const auto& [key, value] : config::StaticValues{{"max.connections", "many"},
                                                       {"socket.request.max.bytes", "0"},
                                                       {"max.connections.per.ip.overrides", "x"}}) {
    auto options = server_options({{key, value}});
    ASSERT_FALSE(options.has_value());
    EXPECT_NE(options.error().message.find(key), std::string::npos);
  }
}

}  // namespace
}  // namespace weir::broker
