// The contract of loops, timers, events, workers and random numbers, in both worlds.
#include <vector>

#include "base/memory_pool.h"
#include "rt/asio/contract_test_support.h"
#include "rt/event.h"
#include "rt/pool_gate.h"
#include "rt/scope.h"

namespace weir::rt::asio {
namespace {

template <class World>
class LoopContract : public Contract<World> {};
TYPED_TEST_SUITE(LoopContract, Worlds, WorldNames);

using Order = std::vector<int>;

Task<void> sleep_and_log(Loop& loop, MonoTime at, Order& order, int mark) {
  co_await sleep_until(loop, at);
  EXPECT_GE(loop.now(), at);
  order.push_back(mark);
}

Task<void> timers_fire_in_order_of_time(Parts& parts) {
  Order order;
  Scope scope(parts.loop);
  MonoTime start = parts.loop.now();
  scope.spawn(sleep_and_log(parts.loop, start + 6ms, order, 3));
  scope.spawn(sleep_and_log(parts.loop, start + 2ms, order, 1));
  scope.spawn(sleep_and_log(parts.loop, start + 4ms, order, 2));
  scope.spawn(sleep_and_log(parts.loop, start - 1s, order, 0));
  co_await scope.join();
  EXPECT_EQ(order, (Order{0, 1, 2, 3}));
}
TYPED_TEST(LoopContract, TimersFireInOrderOfTime) { this->run(timers_fire_in_order_of_time); }

Task<void> equal_timers_fire_in_order_of_scheduling(Parts& parts) {
  Order order;
  Scope scope(parts.loop);
  MonoTime at = parts.loop.now() + 2ms;
  for (int i = 0; i < 50; ++i) scope.spawn(sleep_and_log(parts.loop, at, order, i));
  co_await scope.join();
  EXPECT_EQ(order.size(), 50u);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}
TYPED_TEST(LoopContract, EqualTimersFireInOrderOfScheduling) {
  this->run(equal_timers_fire_in_order_of_scheduling);
}

Task<void> cancelled_timer_does_not_fire(Parts& parts) {
  MonoTime at = parts.loop.now() + 1ms;
  // Resuming the null handle would crash.
  TimerKey key = parts.loop.schedule(at, nullptr);
  EXPECT_NE(key, 0u);
  EXPECT_TRUE(parts.loop.cancel(key));
  EXPECT_FALSE(parts.loop.cancel(key));
  EXPECT_FALSE(parts.loop.cancel(0));
  TimerKey fired = parts.loop.schedule(at, std::noop_coroutine());
  co_await sleep_until(parts.loop, at + 2ms);
  EXPECT_FALSE(parts.loop.cancel(fired));
}
TYPED_TEST(LoopContract, CancelledTimerDoesNotFire) { this->run(cancelled_timer_does_not_fire); }

Task<void> many_random_timers(Parts& parts) {
  std::vector<TimerKey> keys;
  std::vector<bool> cancelled(500);
  MonoTime base = parts.loop.now() + 1h;
  for (std::size_t i = 0; i < cancelled.size(); ++i) {
    keys.push_back(parts.loop.schedule(base + 1ms * static_cast<int>(parts.random.below(100)),
                                       std::noop_coroutine()));
  }
  for (int i = 0; i < 1000; ++i) {
    std::size_t pick = parts.random.below(keys.size());
    EXPECT_EQ(parts.loop.cancel(keys[pick]), !cancelled[pick]);
    cancelled[pick] = true;
  }
  for (std::size_t i = 0; i < keys.size(); ++i) {
    EXPECT_EQ(parts.loop.cancel(keys[i]), !cancelled[i]);
  }
  co_return;
}
TYPED_TEST(LoopContract, ManyTimersCanBeCancelledInAnyOrder) { this->run(many_random_timers); }

Task<void> notify_later(Loop& loop, Event& event, Duration d) {
  co_await sleep_for(loop, d);
  event.notify_all();
}

Task<void> event_wait_ends_by_notification_or_deadline(Parts& parts) {
  Event event(parts.loop);
  Scope scope(parts.loop);
  MonoTime start = parts.loop.now();
  EXPECT_FALSE(co_await event.wait_until(start + 2ms));
  EXPECT_GE(parts.loop.now(), start + 2ms);
  scope.spawn(notify_later(parts.loop, event, 1ms));
  EXPECT_TRUE(co_await event.wait_until(parts.soon()));
  EXPECT_FALSE(event.has_waiters());
  EXPECT_FALSE(co_await event.wait_until(parts.loop.now() - 1ms));
  co_await scope.join();
}
TYPED_TEST(LoopContract, EventWaitEndsByNotificationOrDeadline) {
  this->run(event_wait_ends_by_notification_or_deadline);
}

Task<void> hops_change_loops(Parts& parts) {
  EXPECT_TRUE(parts.loop.is_current());
  EXPECT_FALSE(parts.other.is_current());
  for (int i = 0; i < 100; ++i) {
    co_await resume_on(parts.other);
    EXPECT_TRUE(parts.other.is_current());
    EXPECT_FALSE(parts.loop.is_current());
    co_await yield(parts.other);
    co_await sleep_for(parts.other, 1us);
    EXPECT_TRUE(parts.other.is_current());
    co_await resume_on(parts.loop);
    EXPECT_TRUE(parts.loop.is_current());
  }
}
TYPED_TEST(LoopContract, HopsChangeLoops) { this->run(hops_change_loops); }

Task<void> count_there(Loop& home, Loop& there, int& count) {
  for (int i = 0; i < 100; ++i) {
    co_await resume_on(there);
    ++count;
    co_await resume_on(home);
  }
}

Task<void> many_hop_at_once(Parts& parts) {
  // Only touched on the other loop, so it needs no lock.
  int count = 0;
  Scope scope(parts.loop);
  for (int i = 0; i < 20; ++i) scope.spawn(count_there(parts.loop, parts.other, count));
  co_await scope.join();
  EXPECT_EQ(count, 2000);
}
TYPED_TEST(LoopContract, ManyCoroutinesHopAtOnce) { this->run(many_hop_at_once); }

Task<void> log_after_yield(Loop& loop, Order& order, int mark) {
  co_await yield(loop);
  order.push_back(mark);
}

Task<void> posts_run_in_order(Parts& parts) {
  Order order;
  Scope scope(parts.loop);
  for (int i = 0; i < 10; ++i) scope.spawn(log_after_yield(parts.loop, order, i));
  co_await yield(parts.loop);
  EXPECT_EQ(order, (Order{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
  co_await scope.join();
}
TYPED_TEST(LoopContract, PostsRunInOrder) { this->run(posts_run_in_order); }

Task<void> blocking_work_returns_its_result(Parts& parts) {
  int sum = 0;
  for (int i = 0; i < 50; ++i) {
    sum += co_await run_blocking(parts.loop, parts.workers, [&parts, i] {
      EXPECT_FALSE(parts.loop.is_current());
      return i;
    });
    EXPECT_TRUE(parts.loop.is_current());
  }
  EXPECT_EQ(sum, 1225);
}
TYPED_TEST(LoopContract, BlockingWorkReturnsItsResult) {
  this->run(blocking_work_returns_its_result);
}

Task<void> random_numbers_differ(Parts& parts) {
  std::vector<std::uint64_t> seen;
  for (int i = 0; i < 1000; ++i) seen.push_back(parts.random.next());
  std::sort(seen.begin(), seen.end());
  EXPECT_EQ(std::adjacent_find(seen.begin(), seen.end()), seen.end());
  for (int i = 0; i < 1000; ++i) EXPECT_LT(parts.random.below(7), 7u);
  co_return;
}
TYPED_TEST(LoopContract, RandomNumbersDiffer) { this->run(random_numbers_differ); }

Task<void> wall_clock_is_of_this_century(Parts& parts) {
  EXPECT_GT(parts.loop.wall_now().value, 1'700'000'000'000);
  EXPECT_LT(parts.loop.wall_now().value, 4'000'000'000'000);
  co_return;
}
TYPED_TEST(LoopContract, WallClockIsOfThisCentury) { this->run(wall_clock_is_of_this_century); }

Task<void> reserve_and_log(PoolGate& gate, std::size_t bytes, MonoTime deadline, Order& order,
                           int mark) {
  bool got = co_await gate.reserve(bytes, deadline);
  order.push_back(got ? mark : -mark);
}

Task<void> pool_gate_is_fair(Parts& parts) {
  MemoryPool pool("test", 100);
  PoolGate gate(parts.loop, pool);
  Order order;
  Scope scope(parts.loop);
  EXPECT_TRUE(co_await gate.reserve(60, parts.soon()));
  scope.spawn(reserve_and_log(gate, 90, parts.soon(), order, 1));
  // Would fit now, but comes later.
  scope.spawn(reserve_and_log(gate, 20, parts.soon(), order, 2));
  co_await yield(parts.loop);
  EXPECT_TRUE(order.empty());
  co_await resume_on(parts.other);
  pool.release(60);
  co_await resume_on(parts.loop);
  co_await sleep_for(parts.loop, 1ms);
  EXPECT_EQ(order, (Order{1}));
  pool.release(90);
  co_await scope.join();
  EXPECT_EQ(order, (Order{1, 2}));
  pool.release(20);
  EXPECT_EQ(pool.used(), 0u);
}
TYPED_TEST(LoopContract, PoolGateServesInOrderOfAsking) { this->run(pool_gate_is_fair); }

Task<void> pool_gate_gives_up(Parts& parts) {
  MemoryPool pool("test", 100);
  PoolGate gate(parts.loop, pool);
  Order order;
  Scope scope(parts.loop);
  EXPECT_TRUE(co_await gate.reserve(60, parts.soon()));
  scope.spawn(reserve_and_log(gate, 90, parts.loop.now() + 1ms, order, 1));
  scope.spawn(reserve_and_log(gate, 40, parts.soon(), order, 2));
  scope.spawn(reserve_and_log(gate, 10, parts.soon(), order, 3));
  while (order.size() < 2) co_await sleep_for(parts.loop, 1ms);
  // The large one gave up, which let the next one in.
  EXPECT_EQ(order, (Order{-1, 2}));
  gate.stop();
  co_await scope.join();
  EXPECT_EQ(order, (Order{-1, 2, -3}));
  EXPECT_FALSE(co_await gate.reserve(1, parts.soon()));
  EXPECT_EQ(pool.used(), 100u);
  pool.release(100);
}
TYPED_TEST(LoopContract, PoolGateGivesUpAtDeadlineAndStop) { this->run(pool_gate_gives_up); }

Task<void> reserve_and_release(PoolGate& gate, MemoryPool& pool, Parts& parts) {
  for (int i = 0; i < 50; ++i) {
    std::size_t bytes = 1 + parts.random.below(80);
    EXPECT_TRUE(co_await gate.reserve(bytes, parts.soon()));
    co_await resume_on(parts.other);
    pool.release(bytes);
    co_await resume_on(parts.loop);
  }
}

Task<void> pool_gate_under_load(Parts& parts) {
  MemoryPool pool("test", 100);
  PoolGate gate(parts.loop, pool);
  Scope scope(parts.loop);
  for (int i = 0; i < 20; ++i) scope.spawn(reserve_and_release(gate, pool, parts));
  co_await scope.join();
  EXPECT_EQ(pool.used(), 0u);
}
TYPED_TEST(LoopContract, PoolGateLosesNoWakeUp) { this->run(pool_gate_under_load); }

}  // namespace
}  // namespace weir::rt::asio
