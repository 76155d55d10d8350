#include "app/stderr_logger.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace weir::app {
namespace {

class FixedClock final : public rt::Clock {
 public:
  MonoTime now() const override { return MonoTime(); }
  WallMillis wall_now() const override { return WallMillis(ms); }
  std::int64_t ms = 1'769'862'896'789;
};

class StderrLoggerTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(pipe(ends_), 0); }
  void TearDown() override { close(ends_[0]); }
  /// Ends the writing side and gives all that was written.
  std::string text() {
    close(ends_[1]);
    std::string out;
    char part[4096];
    for (ssize_t n; (n = read(ends_[0], part, sizeof part)) > 0;)
      out.append(part, static_cast<std::size_t>(n));
    return out;
  }
  FixedClock clock_;
  int ends_[2] = {-1, -1};
};

TEST_F(StderrLoggerTest, WritesOneLinePerEvent) {
  StderrLogger log(clock_, LogLevel::info, ends_[1]);
  log.info("broker_ready", {{"node", 1}, {"note", "two words\n"}});
  log.debug("never_seen");
  EXPECT_EQ(text(), "2026-01-31T12:34:56.789Z info broker_ready node=1 note=\"two words\\x0a\"\n");
}

TEST_F(StderrLoggerTest, CountsRepeatsOfWarningsByEventAndOfErrorsByLine) {
  StderrLogger log(clock_, LogLevel::debug, ends_[1]);
  for (int i = 0; i < 15; ++i) log.warn("store_away");
  log.warn("other");
  for (int i = 0; i < 12; ++i) log.error("act_now");
  for (int i = 0; i < 12; ++i) log.error("act_now", {{"object", i}});
  clock_.ms += 60'000;
  log.warn("store_away");
  log.warn("store_away");
  std::string out = text();
  std::size_t lines = 0;
  for (char c : out) lines += c == '\n' ? 1 : 0;
  EXPECT_EQ(lines, 10u + 1 + 10 + 12 + 2);
  EXPECT_NE(out.find("warn store_away suppressed=5\n"), std::string::npos) << out;
  EXPECT_TRUE(out.ends_with("warn store_away\n")) << out;
}

TEST(FormatWallTime, KnowsTimesBeforeTheEpoch) {
  EXPECT_EQ(format_wall_time(-1), "1969-12-31T23:59:59.999Z");
  EXPECT_EQ(format_wall_time(0), "1970-01-01T00:00:00.000Z");
}

}  // namespace
}  // namespace weir::app
