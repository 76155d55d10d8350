#include "base/decision_ring.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <thread>

namespace weir {
namespace {

TEST(DecisionRing, KeepsTheLastOnesOldestFirst) {
  DecisionRing ring("state");
  for (std::int64_t i = 0; i < 5000; ++i)
    ring.record(MonoTime(Duration(i)), DecisionKind::fold, {.a = i, .b = -i, .c = 7}, "entry");
  std::vector<Decision> all = ring.last();
  ASSERT_EQ(all.size(), DecisionRing::kDecisionsMax);
  EXPECT_EQ(all.front().a, 5000 - 4096);
  EXPECT_EQ(all.back().a, 4999);
  EXPECT_EQ(all.back().b, -4999);
  EXPECT_EQ(all.back().label, "entry");
  EXPECT_EQ(all.back().kind, DecisionKind::fold);
  EXPECT_EQ(ring.last(3).front().a, 4997);
}

TEST(DecisionRing, CutsLongLabels) {
  DecisionRing ring("state");
  ring.record(MonoTime(), DecisionKind::other, {}, "a label that is much too long");
  EXPECT_EQ(ring.last().front().label, "a label that is ");
}

TEST(DecisionRing, AReaderNeverSeesATornDecision) {
  DecisionRing ring("lane-0");
  std::atomic<bool> stop{false};
  std::thread writer([&] {
    for (std::int64_t i = 0; !stop.load(); ++i)
      ring.record(MonoTime(Duration(i)), DecisionKind::park, {.a = i, .b = i, .c = i});
  });
  std::size_t seen = 0;
  while (seen < 20'000) {
    for (const Decision& decision : ring.last(64)) {
      EXPECT_EQ(decision.a, decision.b);
      EXPECT_EQ(decision.a, decision.c);
      ++seen;
    }
  }
  stop = true;
  writer.join();
}

TEST(DecisionRing, DumpsReadableLines) {
  DecisionRing ring("state");
  ring.record(MonoTime(Duration(5)), DecisionKind::halt, {.a = 42}, "lost_log");
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  ring.dump(ends[1]);
  close(ends[1]);
  char text[256] = {};
  ASSERT_GT(read(ends[0], text, sizeof text - 1), 0);
  close(ends[0]);
  EXPECT_STREQ(text, "decision state #0 at=5 halt a=42 b=0 c=0 lost_log\n");
}

}  // namespace
}  // namespace weir
