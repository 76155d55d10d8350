// What only the real world has: signals, loops that stop, two address families, limits of a
// process.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <thread>
#include <vector>

#include "rt/asio/contract_test_support.h"
#include "rt/asio/gather.h"
#include "rt/asio/signals.h"
#include "rt/scope.h"

namespace weir::rt::asio {
namespace {

Task<int> value_after_yield(AsioLoop& loop, int value) {
  co_await yield(loop);
  co_return value;
}

TEST(AsioLoop, StopBeforeRunIsNotLost) {
  AsioLoop loop;
  loop.stop();
  loop.run();
  EXPECT_EQ(block_on(loop, value_after_yield(loop, 5)), 5);
}

Task<void> count_visits(AsioLoop& home, AsioLoop& there, int times, int& count) {
  for (int i = 0; i < times; ++i) {
    co_await resume_on(there);
    ++count;
    co_await resume_on(home);
  }
}

Task<int> visit_from_many(AsioLoop& home, AsioLoop& there, int& count) {
  Scope scope(home);
  for (int i = 0; i < 16; ++i) scope.spawn(count_visits(home, there, 200, count));
  co_await scope.join();
  co_return 0;
}

TEST(AsioLoop, PostsOfManyThreadsAllArrive) {
  LoopThread target("target");
  int count = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      AsioLoop home;
      block_on(home, visit_from_many(home, target.loop(), count));
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(count, 4 * 16 * 200);
}

Task<int> wait_for_two_signals(SystemSignals& signals) {
  raise(SIGTERM);
  EXPECT_EQ(co_await signals.wait(), SIGTERM);
  raise(SIGINT);
  EXPECT_EQ(co_await signals.wait(), SIGINT);
  signals.stop();
  co_return co_await signals.wait();
}

TEST(SystemSignals, WaitAnswersTheSignalAndZeroAfterStop) {
  AsioLoop loop;
  SystemSignals signals(loop);
  EXPECT_EQ(block_on(loop, wait_for_two_signals(signals)), 0);
}

Task<void> accept_one(Listener& listener, Loop& loop, int& accepted) {
  if (co_await listener.accept(loop)) ++accepted;
}

Task<int> connect_by_both_families(AsioLoop& loop, AsioNetwork& network) {
  auto listener = network.listen(loop, {"localhost", 0});
  EXPECT_TRUE(listener.has_value());
  int accepted = 0;
  for (const char* host : {"127.0.0.1", "::1"}) {
    Endpoint to{host, (*listener)->local().port};
    auto stream = co_await network.connect(loop, to, loop.now() + 10s);
    // A machine without IPv6 still works by IPv4.
    if (!stream && to.host == "::1") continue;
    EXPECT_TRUE(stream.has_value());
    Scope scope(loop);
    scope.spawn(accept_one(**listener, loop, accepted));
    co_await scope.join();
    EXPECT_EQ((*stream)->peer(), to);
  }
  co_return accepted;
}

TEST(AsioNetwork, LocalhostIsBothFamiliesOnOnePort) {
  ThreadWorkers workers("workers", 1);
  AsioNetwork network(workers);
  AsioLoop loop;
  EXPECT_GE(block_on(loop, connect_by_both_families(loop, network)), 1);
}

Task<int> accept_without_descriptors(AsioLoop& loop, AsioNetwork& network) {
  auto listener = network.listen(loop, {"127.0.0.1", 0});
  auto client = co_await network.connect(loop, (*listener)->local(), loop.now() + 10s);
  EXPECT_TRUE(client.has_value());
  rlimit before{};
  EXPECT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit none = before;
  none.rlim_cur = 0;
  EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  auto refused = co_await (*listener)->accept(loop);
  EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_TRUE(!refused && refused.error().is(ErrorCode::unavailable));
  // The connection is still there once descriptors are.
  EXPECT_TRUE((co_await (*listener)->accept(loop)).has_value());
  co_return 0;
}

TEST(AsioNetwork, AcceptWithoutDescriptorsIsUnavailableAndCanBeRepeated) {
  ThreadWorkers workers("workers", 1);
  AsioNetwork network(workers);
  AsioLoop loop;
  block_on(loop, accept_without_descriptors(loop, network));
}

TEST(GatherCursor, SkipsEmptyPartsAndStopsAnywhere) {
  std::string text = "abcdefghij";
  Bytes all = as_bytes(text);
  std::vector<Bytes> parts = {{}, all.first(3), {}, all.subspan(3, 4), all.subspan(7), {}};
  for (std::size_t step = 1; step <= 10; ++step) {
    GatherCursor cursor(parts);
    std::string got;
    while (!cursor.done()) {
      std::array<iovec, kVectorPartsMax> vector;
      std::size_t count = cursor.next(vector);
      ASSERT_GT(count, 0u);
      std::string next;
      for (std::size_t i = 0; i < count; ++i) {
        next.append(static_cast<const char*>(vector[i].iov_base), vector[i].iov_len);
      }
      std::size_t taken = std::min(step, next.size());
      got += next.substr(0, taken);
      cursor.advance(taken);
    }
    EXPECT_EQ(got, text);
  }
}

}  // namespace
}  // namespace weir::rt::asio
