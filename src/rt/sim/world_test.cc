// Time, order and faults of the simulated world.
#include "rt/sim/world.h"

#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "rt/event.h"
#include "rt/scope.h"
#include "rt/sim/fabric.h"
#include "rt/sim/node.h"

namespace weir::rt::sim {
namespace {

Task<void> wander(SimNode& node, int steps) {
  for (int i = 0; i < steps; ++i) {
    co_await sleep_for(node.loop(), 1us * static_cast<int>(node.random().below(1000)));
    int got = co_await run_blocking(node.loop(), node.workers(), [i] { return i; });
    EXPECT_EQ(got, i);
  }
}

/// A busy little world; its hash.
std::uint64_t run_once(std::uint64_t seed) {
  SimWorld world(seed);
  for (const char* host : {"a", "b", "c"}) {
    SimNode& node = world.start_node({.host = host});
    for (int i = 0; i < 5; ++i) node.spawn(wander(node, 50));
  }
  world.run_for(1min);
  for (const char* host : {"a", "b", "c"}) EXPECT_EQ(world.node(host)->running(), 0u);
  return world.trace_hash();
}

TEST(SimWorld, EqualSeedsGiveEqualTraces) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) EXPECT_EQ(run_once(seed), run_once(seed));
  EXPECT_NE(run_once(1), run_once(2));
}

TEST(SimWorld, NotesArePartOfTheTrace) {
  SimWorld a(1);
  SimWorld b(1);
  EXPECT_EQ(a.trace_hash(), b.trace_hash());
  a.note("commit", 1);
  b.note("commit", 2);
  EXPECT_NE(a.trace_hash(), b.trace_hash());
}

TEST(SimWorld, TimeMovesOnlyAsToldAndEventsAreDoneInOrder) {
  SimWorld world(1);
  std::vector<int> order;
  MonoTime start = world.now();
  world.after(2ms, nullptr, [&] { order.push_back(2); });
  world.after(1ms, nullptr, [&] { order.push_back(1); });
  world.after(2ms, nullptr, [&] { order.push_back(3); });
  world.run_until(start + 1ms);
  EXPECT_EQ(order, (std::vector<int>{1}));
  world.run_for(5ms);
  EXPECT_EQ(order, (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(world.now(), start + 6ms);
  EXPECT_FALSE(world.run_while([] { return true; }, 1s));
}

Task<void> tick(Loop& loop, int& ticks) {
  for (;;) {
    co_await sleep_for(loop, 10ms);
    ++ticks;
  }
}

/// Something that must not be destroyed when its process is killed.
struct Part {
  explicit Part(Loop& loop, int& counter) : scope(loop), event(loop), destroyed(counter) {}
  ~Part() { ++destroyed; }
  Scope scope;
  Event event;
  int& destroyed;
};

Task<void> wait_for_ever(Part& part) { co_await part.event.wait(); }

TEST(SimNode, KilledProcessNeverRunsAgainAndIsNotUnwound) {
  SimWorld world(1);
  SimNode& node = world.start_node({.host = "a"});
  int ticks = 0;
  int destroyed = 0;
  Part& part = node.make<Part>(node.loop(), destroyed);
  node.spawn(tick(node.loop(), ticks));
  part.scope.spawn(wait_for_ever(part));
  part.scope.spawn(tick(node.loop(), ticks));
  world.run_for(1s);
  EXPECT_EQ(ticks, 200);
  node.kill();
  EXPECT_FALSE(node.alive());
  EXPECT_EQ(world.node("a"), nullptr);
  part.event.notify_all();
  world.run_for(1s);
  EXPECT_EQ(ticks, 200);
  EXPECT_EQ(destroyed, 0);
  // The machine can start another process.
  SimNode& next = world.start_node({.host = "a"});
  next.spawn(tick(next.loop(), ticks));
  world.run_for(1s);
  EXPECT_EQ(ticks, 300);
}

TEST(SimNode, ExitDestroysWhatTheProcessMade) {
  SimWorld world(1);
  SimNode& node = world.start_node({.host = "a"});
  int destroyed = 0;
  node.make<Part>(node.loop(), destroyed);
  node.make<Part>(node.loop(), destroyed);
  node.exit();
  EXPECT_EQ(destroyed, 2);
}

TEST(SimNode, PausedProcessLosesTimeButNoEvents) {
  SimWorld world(1);
  SimNode& node = world.start_node({.host = "a"});
  int ticks = 0;
  node.spawn(tick(node.loop(), ticks));
  world.run_for(1s);
  EXPECT_EQ(ticks, 100);
  MonoTime before = node.mono_now();
  node.pause();
  world.run_for(10s);
  EXPECT_EQ(ticks, 100);
  node.resume();
  world.run_for(1ms);
  EXPECT_EQ(ticks, 101);
  EXPECT_EQ(node.mono_now() - before, 10s + 1ms);
  world.run_for(1s);
  EXPECT_EQ(ticks, 201);
}

TEST(SimNode, ClocksAreItsOwn) {
  SimWorld world(1);
  SimNode& right = world.start_node({.host = "right"});
  SimNode& fast = world.start_node({.host = "fast", .wall_skew = 3s, .clock_rate_ppm = 2'000'000});
  int right_ticks = 0;
  int fast_ticks = 0;
  right.spawn(tick(right.loop(), right_ticks));
  fast.spawn(tick(fast.loop(), fast_ticks));
  MonoTime fast_start = fast.mono_now();
  world.run_for(1s);
  EXPECT_EQ(right_ticks, 100);
  EXPECT_EQ(fast_ticks, 200);
  EXPECT_EQ(fast.mono_now() - fast_start, 2s);
  EXPECT_NE(fast.mono_now(), right.mono_now());
  EXPECT_EQ(fast.wall_now().value - right.wall_now().value, 3000);
  std::int64_t before = fast.wall_now().value;
  fast.jump_wall_clock(-1h);
  EXPECT_EQ(fast.wall_now().value, before - 3'600'000);
}

Task<void> sleep_until_shown(Loop& loop, MonoTime at, bool& early) {
  co_await sleep_until(loop, at);
  if (loop.now() < at) early = true;
}

TEST(SimNode, TimersAreNeverEarlyWhateverTheRate) {
  SimWorld world(1);
  bool early = false;
  for (std::int64_t rate : {500'000, 999'999, 1'000'000, 1'000'001, 1'999'993}) {
    SimNode& node = world.start_node({.host = std::to_string(rate), .clock_rate_ppm = rate});
    for (int i = 0; i < 1000; ++i) {
      Duration d(static_cast<std::int64_t>(world.random().below(1'000'000'007)));
      node.spawn(sleep_until_shown(node.loop(), node.loop().now() + d, early));
    }
  }
  world.run_for(10s);
  EXPECT_FALSE(early);
}

}  // namespace
}  // namespace weir::rt::sim
