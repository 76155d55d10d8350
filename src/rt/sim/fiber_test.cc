#include "rt/sim/fiber.h"

#include <gtest/gtest.h>

#include <string>

namespace weir::rt::sim {
namespace {

TEST(Fiber, AlternatesWithItsCaller) {
  std::string order;
  Fiber* self = nullptr;
  Fiber fiber([&] {
    order += "a";
    self->suspend();
    order += "b";
    self->suspend();
    order += "c";
  });
  self = &fiber;
  for (const char* outside : {"1", "2", "3"}) {
    EXPECT_FALSE(fiber.finished());
    fiber.resume();
    order += outside;
  }
  EXPECT_TRUE(fiber.finished());
  EXPECT_EQ(order, "a1b2c3");
}

TEST(Fiber, FibersNest) {
  std::string order;
  Fiber* outer_self = nullptr;
  Fiber* inner_self = nullptr;
  Fiber inner([&] {
    order += "i";
    inner_self->suspend();
    order += "j";
  });
  Fiber outer([&] {
    order += "o";
    inner.resume();
    outer_self->suspend();
    inner.resume();
    order += "p";
  });
  inner_self = &inner;
  outer_self = &outer;
  outer.resume();
  outer.resume();
  EXPECT_TRUE(outer.finished());
  EXPECT_TRUE(inner.finished());
  EXPECT_EQ(order, "oijp");
}

TEST(Fiber, MayBeDroppedUnstarted) {
  Fiber fiber([] { ADD_FAILURE(); });
}

TEST(Fiber, begins_anew_on_its_stack) {
  int rounds = 0;
  Fiber* inside = nullptr;
  Fiber fiber([&] { ++rounds; });
  fiber.resume();
  ASSERT_TRUE(fiber.finished());
  for (int i = 0; i < 3; ++i) {
    inside = &fiber;
    fiber.restart([&] {
      ++rounds;
      inside->suspend();
      ++rounds;
    });
    EXPECT_FALSE(fiber.finished());
    fiber.resume();
    EXPECT_FALSE(fiber.finished());
    fiber.resume();
    EXPECT_TRUE(fiber.finished());
  }
  EXPECT_EQ(rounds, 7);
}

}  // namespace
}  // namespace weir::rt::sim
