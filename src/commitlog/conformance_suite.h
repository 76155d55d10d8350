// For tests only: what every CommitLog must do. A back end instantiates the suite in its own test
// program, in one source file of it, with a harness that stands for one log used by several
// brokers.
#pragma once

#include "commitlog/commit_log.h"
#include "objstore/conformance_harness.h"

namespace weir::commitlog {

class LogHarness {
 public:
  static constexpr std::size_t kClients = 16;
  virtual ~LogHarness() = default;
  virtual objstore::TaskRunner& runner() = 0;
  /// The one log as broker i sees it, 0 … kClients-1.
  virtual CommitLog& client(std::size_t i) = 0;
};

using LogHarnessMaker = std::unique_ptr<LogHarness> (*)();

class CommitLogConformance : public testing::TestWithParam<LogHarnessMaker> {
 protected:
  void SetUp() override { harness_ = GetParam()(); }

  CommitLog& log(std::size_t client = 0) { return harness_->client(client); }
  template <class T>
  T run(rt::Task<T> task) {
    return objstore::run_one(harness_->runner(), std::move(task));
  }
  static BytesChain entry(std::string_view text) { return objstore::chain_of(text); }
  void create(std::uint64_t at, std::string_view text, std::size_t client = 0) {
    auto outcome = run(log(client).create(Position(at), entry(text)));
    ASSERT_TRUE(outcome) << describe(outcome.error());
    ASSERT_EQ(*outcome, CreateOutcome::won) << at;
  }
  std::string read(std::uint64_t at, std::size_t client = 0) {
    auto found = run(log(client).read(Position(at)));
    if (!found) return "error: " + describe(found.error());
    return found->has_value() ? std::string(as_text((*found)->view())) : "absent";
  }
  void fill(std::uint64_t count) {
    for (std::uint64_t at = 0; at < count; ++at) create(at, "entry " + std::to_string(at));
  }
  std::uint64_t floor(std::size_t client = 0) {
    auto floor = run(log(client).read_floor());
    EXPECT_TRUE(floor) << describe(floor.error());
    return floor ? floor->value : ~std::uint64_t{0};
  }

  std::unique_ptr<LogHarness> harness_;
};

TEST_P(CommitLogConformance, CreatesDenselyAndEveryBrokerReadsTheSame) {
  for (std::uint64_t at = 0; at < 60; ++at) {
    create(at, "entry " + std::to_string(at), at % 5);
    EXPECT_EQ(read(at, (at + 1) % 5), "entry " + std::to_string(at));
    EXPECT_EQ(read(at + 1, (at + 2) % 5), "absent");
  }
  for (std::uint64_t at = 0; at < 60; ++at) EXPECT_EQ(read(at, 15), "entry " + std::to_string(at));
}

TEST_P(CommitLogConformance, ATakenPositionStaysAsItIs) {
  create(0, "first");
  auto again = run(log(1).create(Position(0), entry("second")));
  ASSERT_TRUE(again);
  EXPECT_EQ(*again, CreateOutcome::exists);
  again = run(log(0).create(Position(0), entry("first")));
  ASSERT_TRUE(again);
  EXPECT_EQ(*again, CreateOutcome::exists);
  EXPECT_EQ(read(0, 1), "first");
}

TEST_P(CommitLogConformance, OfSixteenRacingCreatorsOneWinsEachPosition) {
  for (std::uint64_t at = 0; at < 40; ++at) {
    std::vector<rt::Task<Result<CreateOutcome>>> tasks;
    for (std::size_t i = 0; i < LogHarness::kClients; ++i)
      tasks.push_back(log(i).create(Position(at), entry("by " + std::to_string(i))));
    auto results = objstore::run_all(harness_->runner(), std::move(tasks));
    std::string winner;
    for (std::size_t i = 0; i < results.size(); ++i) {
      ASSERT_TRUE(results[i]) << describe(results[i].error());
      ASSERT_NE(*results[i], CreateOutcome::unknown);
      if (*results[i] != CreateOutcome::won) continue;
      EXPECT_TRUE(winner.empty()) << "two winners at " << at;
      winner = "by " + std::to_string(i);
    }
    for (std::size_t i : {0, 7, 15}) EXPECT_EQ(read(at, i), winner);
  }
}

TEST_P(CommitLogConformance, RacingWritersBuildOneChain) {
  struct Writer {
    static rt::Task<std::uint64_t> run(CommitLog& log, std::size_t who, std::uint64_t wins) {
      std::uint64_t won = 0;
      for (std::uint64_t at = 0; won < wins; ++at) {
        BytesChain entry = objstore::chain_of(std::to_string(who) + "/" + std::to_string(won));
        Result<CreateOutcome> outcome = co_await log.create(Position(at), std::move(entry));
        EXPECT_TRUE(outcome) << describe(outcome.error());
        if (!outcome) co_return won;
        if (*outcome == CreateOutcome::won) ++won;
        Result<std::optional<SharedBytes>> found = co_await log.read(Position(at));
        EXPECT_TRUE(found && found->has_value());
      }
      co_return won;
    }
  };
  std::vector<rt::Task<std::uint64_t>> tasks;
  for (std::size_t i = 0; i < 6; ++i) tasks.push_back(Writer::run(log(i), i, 12));
  for (std::uint64_t won : objstore::run_all(harness_->runner(), std::move(tasks)))
    EXPECT_EQ(won, 12u);
  std::vector<std::uint64_t> next(6);
  for (std::uint64_t at = 0; at < 72; ++at) {
    std::string text = read(at);
    std::size_t who = static_cast<std::size_t>(text[0] - '0');
    ASSERT_LT(who, 6u) << text;
    EXPECT_EQ(text, std::to_string(who) + "/" + std::to_string(next[who]++));
  }
  EXPECT_EQ(read(72), "absent");
}

TEST_P(CommitLogConformance, KeepsEmptyAndLargeEntriesOfManyParts) {
  create(0, "");
  BytesChain chain;
  std::string whole;
  for (int i = 0; i < 2'000; ++i) {
    std::string part(static_cast<std::size_t>(i % 97) + 1, static_cast<char>('a' + i % 26));
    whole += part;
    chain.append(SharedBytes::copy_of(as_bytes(part)));
  }
  auto outcome = run(log().create(Position(1), chain));
  ASSERT_TRUE(outcome);
  std::string large(3'000'000, 'L');
  create(2, large);
  EXPECT_EQ(read(0, 1), "");
  EXPECT_TRUE(read(1, 1) == whole);
  EXPECT_TRUE(read(2, 1) == large);
}

TEST_P(CommitLogConformance, RefusesWhatIsTooLarge) {
  auto outcome =
      run(log().create(Position(0), BytesChain(Buffer::make(log().item_bytes_max() + 1))));
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, ErrorCode::too_large);
  EXPECT_EQ(read(0), "absent");
}

TEST_P(CommitLogConformance, TheEntryMayChangeOnceTheCreateHasEnded) {
  SharedBytes bytes = SharedBytes::copy_of(as_bytes("before"));
  ASSERT_TRUE(run(log().create(Position(0), BytesChain(bytes))));
  bytes.mutable_view()[0] = std::byte{'X'};
  EXPECT_EQ(read(0), "before");
}

TEST_P(CommitLogConformance, ReadsManyUpToTheEndTheCountAndTheBytes) {
  fill(50);  // 7 or 8 bytes each
  auto many = [&](std::uint64_t from, std::size_t count, std::size_t bytes) {
    auto entries = run(log(3).read_many(Position(from), count, bytes));
    EXPECT_TRUE(entries) << describe(entries.error());
    std::vector<std::string> texts;
    if (entries)
      for (const SharedBytes& e : *entries) texts.emplace_back(as_text(e.view()));
    return texts;
  };
  EXPECT_EQ(many(0, 100, 1'000'000).size(), 50u);
  EXPECT_EQ(many(10, 5, 1'000'000),
            (std::vector<std::string>{"entry 10", "entry 11", "entry 12", "entry 13", "entry 14"}));
  EXPECT_EQ(many(48, 100, 1'000'000).size(), 2u);
  EXPECT_TRUE(many(50, 100, 1'000'000).empty());
  EXPECT_EQ(many(20, 100, 1), (std::vector<std::string>{"entry 20"}));
  EXPECT_TRUE(many(20, 0, 1'000'000).empty());
  std::size_t bytes = 0;
  for (const std::string& text : many(10, 100, 100)) bytes += text.size();
  EXPECT_LE(bytes, 100u);
  EXPECT_GT(bytes, 0u);
}

TEST_P(CommitLogConformance, TheFloorOnlyRises) {
  fill(20);
  EXPECT_EQ(floor(), 0u);
  ASSERT_TRUE(run(log(1).raise_floor(Position(5))));
  EXPECT_EQ(floor(2), 5u);
  ASSERT_TRUE(run(log(2).raise_floor(Position(3))));
  EXPECT_EQ(floor(1), 5u);
  ASSERT_TRUE(run(log(2).raise_floor(Position(5))));
  EXPECT_EQ(floor(0), 5u);
  std::vector<rt::Task<Result<void>>> tasks;
  for (std::uint64_t i = 0; i < 4; ++i) tasks.push_back(log(i).raise_floor(Position(6 + i)));
  for (auto& result : objstore::run_all(harness_->runner(), std::move(tasks)))
    EXPECT_TRUE(result) << describe(result.error());
  EXPECT_EQ(floor(3), 9u);
}

TEST_P(CommitLogConformance, RemovesOnlyBelowTheFloor) {
  fill(20);
  auto refused = run(log().remove(Position(0), Position(0)));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::precondition);
  ASSERT_TRUE(run(log().raise_floor(Position(10))));
  EXPECT_FALSE(run(log().remove(Position(0), Position(10))));
  EXPECT_EQ(read(0), log().guards_floor() ? read(0) : "entry 0");
  ASSERT_TRUE(run(log(1).remove(Position(0), Position(9))));
  for (std::uint64_t at = 10; at < 20; ++at) {
    EXPECT_EQ(read(at, 0), "entry " + std::to_string(at));
    EXPECT_EQ(read(at, 2), "entry " + std::to_string(at));
  }
  create(20, "entry 20", 3);
  EXPECT_EQ(read(20, 4), "entry 20");
  ASSERT_TRUE(run(log(2).remove(Position(0), Position(9)))) << "a second time";
}

TEST_P(CommitLogConformance, BelowTheFloorALogRefusesOrSaysThatItDoesNotGuard) {
  fill(20);
  ASSERT_TRUE(run(log().raise_floor(Position(10))));
  ASSERT_TRUE(run(log().remove(Position(0), Position(9))));
  if (!log().guards_floor()) {
    // Then "absent" below the floor proves nothing, and the engine's grace rule has to.
    auto gone = run(log(1).read(Position(4)));
    ASSERT_TRUE(gone);
    EXPECT_FALSE(gone->has_value());
    return;
  }
  auto outcome = run(log(1).create(Position(4), entry("stray")));
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, ErrorCode::precondition);
  auto beyond = run(log(1).raise_floor(Position(100)));
  ASSERT_FALSE(beyond);
  EXPECT_EQ(beyond.error().code, ErrorCode::precondition);
  auto gap = run(log(1).create(Position(30), entry("gap")));
  ASSERT_FALSE(gap);
  EXPECT_EQ(gap.error().code, ErrorCode::precondition);
}

}  // namespace weir::commitlog
