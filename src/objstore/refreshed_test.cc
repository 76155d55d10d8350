#include "objstore/refreshed.h"

#include <deque>

#include "objstore/conformance_harness.h"

namespace weir::objstore {
namespace {

struct Token {
  std::string text;
  std::optional<WallMillis> expires_at;
  friend bool operator==(const Token&, const Token&) = default;
};

/// Answers from a script, half a second later.
class ScriptSource final : public RefreshSource<Token> {
 public:
  explicit ScriptSource(rt::Loop& loop) : loop_(loop) {}
  rt::Task<Result<Token>> fetch() override {
    ++fetches;
    co_await rt::sleep_for(loop_, 500ms);
    Result<Token> next = fail(ErrorCode::unavailable, "no answer");
    if (!answers.empty()) {
      next = answers.front();
      answers.pop_front();
    }
    co_return next;
  }
  std::string describe() const override { return "script"; }

  std::deque<Result<Token>> answers;
  int fetches = 0;

 private:
  rt::Loop& loop_;
};

class LineLogger final : public Logger {
 public:
  void write(LogLevel, std::string_view event, std::initializer_list<LogField> fields) override {
    lines.push_back(format_log_line(event, fields));
  }
  std::vector<std::string> lines;
};

class RefreshedTest : public testing::Test {
 protected:
  RefreshedTest() {
    auto source = std::make_unique<ScriptSource>(runner_.loop());
    source_ = source.get();
    refreshed_.emplace(Refreshed<Token>::Parts{runner_.loop(), runner_.node().random(), logger_},
                       std::move(source));
  }
  void TearDown() override {
    std::vector<rt::Task<void>> tasks;
    tasks.push_back(refreshed_->stop());
    runner_.run(std::move(tasks));
  }
  Token token(std::string text, Duration life) {
    return {std::move(text), WallMillis(runner_.loop().wall_now().value + life / 1ms)};
  }
  /// The text of what it gives, or the code of the error.
  std::string get() {
    auto got = run_one(runner_, refreshed_->get(runner_.loop().now() + 10s));
    return got ? got->text : std::string(to_string(got.error().code));
  }
  void pass(Duration d) {
    std::vector<rt::Task<void>> tasks;
    tasks.push_back(wait(runner_.loop(), d));
    runner_.run(std::move(tasks));
  }
  static rt::Task<void> wait(rt::Loop& loop, Duration d) { co_await rt::sleep_for(loop, d); }

  SimRunner runner_{5};
  LineLogger logger_;
  ScriptSource* source_ = nullptr;
  std::optional<Refreshed<Token>> refreshed_;
};

TEST_F(RefreshedTest, AsksOnceAndRemembers) {
  source_->answers.push_back(token("a", 1h));
  EXPECT_EQ(get(), "a");
  pass(10min);
  EXPECT_EQ(get(), "a");
  EXPECT_EQ(source_->fetches, 1);
}

TEST_F(RefreshedTest, ManyCallersAtTheStartShareOneFetch) {
  source_->answers.push_back(token("a", 1h));
  std::vector<rt::Task<Result<Token>>> tasks;
  for (int i = 0; i < 20; ++i) tasks.push_back(refreshed_->get(runner_.loop().now() + 10s));
  for (auto& got : run_all(runner_, std::move(tasks))) EXPECT_TRUE(got);
  EXPECT_EQ(source_->fetches, 1);
}

TEST_F(RefreshedTest, RenewsBeforeExpiryWithoutMakingAnybodyWait) {
  source_->answers.push_back(token("a", 1h));
  EXPECT_EQ(get(), "a");
  pass(56min);
  source_->answers.push_back(token("b", 1h));
  MonoTime begin = runner_.loop().now();
  EXPECT_EQ(get(), "a");
  EXPECT_LT(runner_.loop().now() - begin, 600ms) << "the old one, at once";
  pass(1s);
  EXPECT_EQ(get(), "b");
  EXPECT_EQ(source_->fetches, 2);
}

TEST_F(RefreshedTest, AFailedRenewalKeepsTheOldUntilItExpiresAndSaysSo) {
  source_->answers.push_back(token("a", 1h));
  EXPECT_EQ(get(), "a");
  pass(56min);
  EXPECT_EQ(get(), "a");
  pass(1s);
  EXPECT_EQ(get(), "a");
  ASSERT_FALSE(logger_.lines.empty());
  EXPECT_NE(logger_.lines[0].find("credentials_not_renewed source=script"), std::string::npos)
      << logger_.lines[0];
  pass(5min);
  EXPECT_EQ(get(), "unavailable") << "expired";
  pass(1min);
  source_->answers.push_back(token("b", 1h));
  EXPECT_EQ(get(), "b") << "and it recovers by itself";
}

TEST_F(RefreshedTest, ASourceInTroubleIsNotAskedByEveryRequest) {
  for (int i = 0; i < 100; ++i) EXPECT_EQ(get(), "unavailable");
  EXPECT_LE(source_->fetches, 3);
}

TEST_F(RefreshedTest, ARefusedValueIsFetchedAnewButNotForEver) {
  Token first = token("a", 1h);
  source_->answers.push_back(first);
  EXPECT_EQ(get(), "a");
  refreshed_->refused(first);
  EXPECT_EQ(get(), "a") << "it has only just come";
  EXPECT_EQ(source_->fetches, 1);
  pass(1min);
  source_->answers.push_back(token("b", 1h));
  refreshed_->refused(first);
  EXPECT_EQ(get(), "b");
  refreshed_->refused(first);
  EXPECT_EQ(get(), "b") << "that was the one before";
  EXPECT_EQ(source_->fetches, 2);
}

TEST_F(RefreshedTest, WhatArrivesExpiredIsUsedForAWhile) {
  source_->answers.push_back(token("a", -10min));
  EXPECT_EQ(get(), "a");
  EXPECT_EQ(get(), "a");
  EXPECT_NE(logger_.lines.at(0).find("credentials_expired_on_arrival"), std::string::npos);
}

TEST_F(RefreshedTest, AJumpOfTheWallClockChangesNothing) {
  source_->answers.push_back(token("a", 1h));
  EXPECT_EQ(get(), "a");
  runner_.node().jump_wall_clock(48h);
  EXPECT_EQ(get(), "a");
  EXPECT_EQ(source_->fetches, 1);
}

}  // namespace
}  // namespace weir::objstore
