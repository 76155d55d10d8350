// How connections end when the broker stops.
#include <gtest/gtest.h>

#include "broker/server.h"
#include "broker/testing/echo_table.h"
#include "broker/testing/rig.h"

namespace weir::broker {
namespace {

using testing::echo_request;
using testing::echo_table;
using testing::kRead;
using testing::RawClient;
using testing::Rig;

/// Correlation ids of the next answers; -1 for each that does not come.
std::vector<std::int32_t> receive(RawClient& client, int count) {
  std::vector<std::int32_t> out;
  for (int i = 0; i < count; ++i) {
    auto frame = client.next_frame();
    out.push_back(frame ? serial::Reader(*frame).int32("correlation") : -1);
  }
  return out;
}

TEST(Drain, FinishesWhatWasReadThenCloses) {
  Rig rig(echo_table(), {.lanes = 2});
  auto client = rig.connect();
  client.send(echo_request(kRead, 3000, 1) + echo_request(kRead, 0, 2));
  rig.world.run_for(1s);
  rig.drain(10s);
  EXPECT_EQ(receive(client, 2), (std::vector{1, 2}));
  EXPECT_TRUE(client.closes(1s));
  auto late = rig.connect("late");
  EXPECT_TRUE(late.closes(10s));
}

TEST(Drain, EndsAtItsDeadline) {
  Rig rig(echo_table());
  auto client = rig.connect();
  client.send(echo_request(kRead, 30000, 1));
  rig.world.run_for(1s);
  rig.drain(5s);
  EXPECT_EQ(rig.log.count("drain_incomplete"), 1u);
  EXPECT_TRUE(client.closes(1s));
}

TEST(Drain, IdleConnectionsCloseAtOnce) {
  Rig rig(echo_table());
  auto client = rig.connect();
  rig.world.run_for(1s);
  const MonoTime start = rig.world.now();
  rig.drain(60s);
  EXPECT_LT(rig.world.now() - start, 1s);
}

TEST(Drain, ConnectionsThatNeverAskedStayUntilAllIsAnswered) {
  Rig rig(echo_table());
  auto silent = rig.connect("watcher");
  auto late = rig.connect("late");
  auto client = rig.connect();
  client.send(echo_request(kRead, 3000, 1));
  rig.world.run_for(1s);
  rig.node.spawn(rig.server->drain(rig.node.loop().now() + 10s));
  EXPECT_FALSE(silent.closes(1s));
  late.send(echo_request(kRead, 0, 2));
  EXPECT_TRUE(late.closes(500ms));
  EXPECT_EQ(receive(client, 1), (std::vector{1}));
  EXPECT_TRUE(silent.closes(1s));
}

}  // namespace
}  // namespace weir::broker
