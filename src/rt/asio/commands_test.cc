#include "rt/asio/commands.h"

#include <gtest/gtest.h>

namespace weir::rt::asio {
namespace {

constexpr Commands::Bounds kBounds{.timeout = 30s, .output_bytes_max = 10'000};

TEST(ShellCommands, GivesBackWhatWasPrinted) {
  auto out = ShellCommands().run("printf 'a%sc' b; echo not-this >&2", kBounds);
  ASSERT_TRUE(out) << describe(out.error());
  EXPECT_EQ(*out, "abc");
}

TEST(ShellCommands, AStatusIsAnErrorThatDoesNotRepeatTheOutput) {
  auto out = ShellCommands().run("echo hunter2; exit 3", kBounds);
  ASSERT_FALSE(out);
  EXPECT_EQ(out.error().code, ErrorCode::configuration);
  EXPECT_EQ(out.error().message, "the command ended with status 3");
  EXPECT_FALSE(ShellCommands().run("kill -9 $$", kBounds));
}

TEST(ShellCommands, OneThatHangsIsKilledWithItsChildren) {
  auto out = ShellCommands().run("sleep 600 | sleep 600", {.timeout = 50ms, .output_bytes_max = 9});
  ASSERT_FALSE(out);
  EXPECT_EQ(out.error().code, ErrorCode::timed_out);
}

TEST(ShellCommands, OutputIsBounded) {
  auto out = ShellCommands().run("yes", kBounds);
  ASSERT_FALSE(out);
  EXPECT_EQ(out.error().code, ErrorCode::too_large);
}

}  // namespace
}  // namespace weir::rt::asio
