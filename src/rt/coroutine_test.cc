// The shapes in which tasks, scopes, events and queues are combined.
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rt/event.h"
#include "rt/queue.h"
#include "rt/scope.h"
#include "rt/sim/node.h"
#include "rt/sim/world.h"
#include "rt/task.h"

namespace weir::rt {
namespace {

using Order = std::vector<std::string>;

/// A process in a simulated world; what the tests need of it is its loop.
class Coroutines : public testing::Test {
 protected:
  ~Coroutines() override { node_.exit(); }
  void run(Task<void> task) {
    node_.spawn(std::move(task));
    EXPECT_TRUE(world_.run_while([this] { return node_.running() > 0; }, 1h));
  }
  sim::SimWorld world_{1};
  sim::SimNode& node_{world_.start_node({.host = "here"})};
  Loop& loop_{node_.loop()};
};

Task<int> deep(int depth) {
  if (depth == 0) co_return 0;
  co_return 1 + co_await deep(depth - 1);
}

Task<void> expect_deep() {
  EXPECT_EQ(co_await deep(10'000), 10'000);
  // A loop over tasks that end at once uses no stack either.
  int sum = 0;
  for (int i = 0; i < 200'000; ++i) sum += co_await deep(1);
  EXPECT_EQ(sum, 200'000);
}
TEST_F(Coroutines, LongChainsUseNoStack) { run(expect_deep()); }

Task<std::unique_ptr<int>> make_unique_soon(Loop& loop) {
  co_await yield(loop);
  co_return std::make_unique<int>(7);
}

Task<void> expect_move_only(Loop& loop) { EXPECT_EQ(*co_await make_unique_soon(loop), 7); }
TEST_F(Coroutines, ResultsMayBeMoveOnly) { run(expect_move_only(loop_)); }

Task<void> mark_start(bool& started) {
  started = true;
  co_return;
}
TEST_F(Coroutines, TaskIsLazyAndMayBeDroppedUnstarted) {
  bool started = false;
  {
    Task<void> dropped = mark_start(started);
  }
  EXPECT_FALSE(started);
  run(mark_start(started));
  EXPECT_TRUE(started);
}

struct Guard {
  bool& gone;
  ~Guard() { gone = true; }
};

Task<void> wait_with_guard(Event& event, std::optional<MonoTime> deadline, bool& gone) {
  Guard guard{gone};
  if (deadline) {
    co_await event.wait_until(*deadline);
  } else {
    co_await event.wait();
  }
}

/// Starts a task by hand and destroys it while it is suspended.
struct Starter {
  struct promise_type {
    Starter get_return_object() {
      return {std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
  std::coroutine_handle<promise_type> handle;
};
Starter start(Task<void> task) { co_await std::move(task); }

TEST_F(Coroutines, DestroyedWaiterLeavesTheEventAndItsTimer) {
  Event event(loop_);
  for (bool timed : {false, true}) {
    bool gone = false;
    std::optional<MonoTime> deadline;
    if (timed) deadline = loop_.now() + 1s;
    Starter starter = start(wait_with_guard(event, deadline, gone));
    EXPECT_TRUE(event.has_waiters());
    EXPECT_FALSE(gone);
    starter.handle.destroy();
    EXPECT_TRUE(gone);
    EXPECT_FALSE(event.has_waiters());
  }
  event.notify_all();
  // A timer that still named the frame would resume freed memory here.
  world_.run_for(2s);
}

Task<void> wait_and_log(Event& event, MonoTime deadline, Order& order, std::string name) {
  bool notified = co_await event.wait_until(deadline);
  order.push_back(name + (notified ? " notified" : " late"));
}

Task<void> notify_at(Loop& loop, Event& event, MonoTime at, Order& order) {
  co_await sleep_until(loop, at);
  order.push_back("notify");
  event.notify_all();
}

Task<void> notify_and_timer_together(Loop& loop) {
  Event event(loop);
  Order order;
  Scope scope(loop);
  MonoTime at = loop.now() + 1ms;
  scope.spawn(wait_and_log(event, at, order, "early"));
  scope.spawn(notify_at(loop, event, at, order));
  scope.spawn(wait_and_log(event, at, order, "after"));
  co_await scope.join();
  // Each waiter is resumed once, whichever came first.
  EXPECT_EQ(order, (Order{"early late", "notify", "after notified"}));
  EXPECT_FALSE(event.has_waiters());
}
TEST_F(Coroutines, NotifyAndTimerInTheSameInstantResumeOnce) {
  run(notify_and_timer_together(loop_));
}

Task<void> wait_twice(Event& event, Order& order, std::string name) {
  co_await event.wait();
  order.push_back(name + "1");
  co_await event.wait();
  order.push_back(name + "2");
}

Task<void> notify_wakes_present_waiters_only(Loop& loop) {
  Event event(loop);
  Order order;
  Scope scope(loop);
  scope.spawn(wait_twice(event, order, "a"));
  scope.spawn(wait_twice(event, order, "b"));
  event.notify_one();
  co_await yield(loop);
  EXPECT_EQ(order, (Order{"a1"}));
  event.notify_all();
  co_await yield(loop);
  EXPECT_EQ(order, (Order{"a1", "b1", "a2"}));
  event.notify_all();
  co_await scope.join();
  EXPECT_EQ(order, (Order{"a1", "b1", "a2", "b2"}));
}
TEST_F(Coroutines, NotifyWakesPresentWaitersOnly) { run(notify_wakes_present_waiters_only(loop_)); }

Task<void> spawn_child(Scope& scope, Loop& loop, int depth, int& ended) {
  co_await sleep_for(loop, 1ms);
  if (depth > 0) scope.spawn(spawn_child(scope, loop, depth - 1, ended));
  ++ended;
}

Task<void> join_waits_for_late_spawns(Loop& loop) {
  Scope scope(loop);
  int ended = 0;
  scope.spawn(spawn_child(scope, loop, 10, ended));
  co_await scope.join();
  EXPECT_EQ(ended, 11);
  EXPECT_EQ(scope.running(), 0u);
  // An idle scope joins at once, and may be used again.
  co_await scope.join();
  scope.spawn(spawn_child(scope, loop, 0, ended));
  co_await scope.join();
  EXPECT_EQ(ended, 12);
}
TEST_F(Coroutines, JoinWaitsForLateSpawns) { run(join_waits_for_late_spawns(loop_)); }

Task<void> end_elsewhere(Loop& there) { co_await resume_on(there); }

Task<void> scope_brings_tasks_home(Loop& home, Loop& there) {
  Scope scope(home);
  for (int i = 0; i < 5; ++i) scope.spawn(end_elsewhere(there));
  co_await scope.join();
  EXPECT_TRUE(home.is_current());
}
TEST_F(Coroutines, ScopeBringsTasksHome) { run(scope_brings_tasks_home(loop_, node_.make_loop())); }

Task<void> produce(Queue<int>& queue, int first, int count) {
  for (int i = 0; i < count; ++i) EXPECT_TRUE(co_await queue.push(first + i));
}

Task<void> consume(Loop& loop, Queue<int>& queue, std::vector<int>& got) {
  while (auto item = co_await queue.pop()) {
    got.push_back(*item);
    EXPECT_LE(queue.size(), 3u);
    if (got.size() % 7 == 0) co_await sleep_for(loop, 1ms);
  }
}

Task<void> queue_is_bounded_and_ordered(Loop& loop) {
  Queue<int> queue(loop, 3);
  std::vector<int> got;
  Scope producers(loop);
  Scope consumers(loop);
  consumers.spawn(consume(loop, queue, got));
  producers.spawn(produce(queue, 0, 100));
  co_await producers.join();
  queue.close();
  co_await consumers.join();
  EXPECT_EQ(got.size(), 100u);
  EXPECT_TRUE(std::is_sorted(got.begin(), got.end()));
  EXPECT_FALSE(co_await queue.push(1));
  EXPECT_FALSE(queue.try_push(1));
}
TEST_F(Coroutines, QueueIsBoundedAndOrdered) { run(queue_is_bounded_and_ordered(loop_)); }

Task<void> push_into_closed(Queue<int>& queue, bool& refused) { refused = !co_await queue.push(9); }

Task<void> close_wakes_waiting_pushes(Loop& loop) {
  Queue<int> queue(loop, 1);
  Scope scope(loop);
  bool refused = false;
  EXPECT_TRUE(queue.try_push(1));
  EXPECT_FALSE(queue.try_push(2));
  scope.spawn(push_into_closed(queue, refused));
  queue.close();
  co_await scope.join();
  EXPECT_TRUE(refused);
  EXPECT_EQ(co_await queue.pop(), 1);
  EXPECT_EQ(co_await queue.pop(), std::nullopt);
}
TEST_F(Coroutines, CloseWakesWaitingPushesAndKeepsItems) { run(close_wakes_waiting_pushes(loop_)); }

TEST_F(Coroutines, ScopeThatDiesUnjoinedAborts) {
  EXPECT_DEATH(
      {
        Event never(loop_);
        Scope scope(loop_);
        bool gone = false;
        scope.spawn(wait_with_guard(never, std::nullopt, gone));
      },
      "running_ == 0");
}

}  // namespace
}  // namespace weir::rt
