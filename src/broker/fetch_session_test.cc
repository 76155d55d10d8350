#include "broker/fetch_session.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "broker/limits.h"

namespace weir::broker {
namespace {

constexpr MonoTime kStart{};

FetchKey key(std::int32_t partition) { return {.name = "t", .id = {}, .partition = partition}; }
FetchAsk ask(std::int32_t partition, std::int64_t offset = 0) {
  return {.key = key(partition), .offset = offset, .bytes_max = 1000};
}
std::vector<std::int32_t> partitions(const std::vector<FetchAsk>& asks) {
  std::vector<std::int32_t> out;
  for (const FetchAsk& a : asks) out.push_back(a.key.partition);
  return out;
}
FetchNews quiet() { return {.high_watermark = 5, .last_stable = 5, .log_start = 0}; }
FetchNews records() {
  return {.has_records = true, .high_watermark = 6, .last_stable = 6, .log_start = 0};
}

FetchPlan begin(FetchSessionCache& cache, std::vector<FetchAsk> asks, MonoTime now = kStart) {
  const std::uint64_t random = 42 + cache.size() * 7 + cache.evictions();
  return cache.plan({.epoch = 0, .asks = std::move(asks)}, now, random);
}

TEST(FetchSession, EpochZeroCreatesASessionAndAnswersEverything) {
  FetchSessionCache cache(10);
  FetchPlan plan = begin(cache, {ask(0), ask(1)});
  ASSERT_TRUE(plan.session);
  EXPECT_NE(plan.session->id(), 0);
  EXPECT_FALSE(plan.incremental);
  EXPECT_EQ(partitions(plan.asks), (std::vector{0, 1}));
  EXPECT_TRUE(plan.session->note(key(0), quiet(), true));
}

TEST(FetchSession, WithoutEpochThereIsNone) {
  FetchSessionCache cache(10);
  FetchPlan plan = cache.plan({.epoch = -1, .asks = {ask(0)}}, kStart, 1);
  EXPECT_EQ(plan.error, KafkaError::none);
  EXPECT_FALSE(plan.session);
  EXPECT_EQ(cache.size(), 0u);
}

TEST(FetchSession, IncrementalAddsChangesAndForgets) {
  FetchSessionCache cache(10);
  std::int32_t id = begin(cache, {ask(0), ask(1)}).session->id();
  FetchPlan plan =
      cache.plan({.session_id = id, .epoch = 1, .asks = {ask(1, 7), ask(2)}, .forgotten = {key(0)}},
                 kStart, 1);
  ASSERT_TRUE(plan.session);
  EXPECT_TRUE(plan.incremental);
  EXPECT_EQ(partitions(plan.asks), (std::vector{1, 2}));
  EXPECT_EQ(plan.asks[0].offset, 7);
  EXPECT_EQ(cache.partitions(), 2u);
  // An empty incremental request means: the same again.
  plan = cache.plan({.session_id = id, .epoch = 2}, kStart, 1);
  EXPECT_EQ(partitions(plan.asks), (std::vector{1, 2}));
}

TEST(FetchSession, OnlyChangedPartitionsAreAnswered) {
  FetchSessionCache cache(10);
  FetchPlan plan = begin(cache, {ask(0)});
  FetchSession& session = *plan.session;
  EXPECT_TRUE(session.note(key(0), quiet(), true));
  EXPECT_FALSE(session.note(key(0), quiet(), false));
  FetchNews moved = quiet();
  moved.high_watermark = 6;
  EXPECT_TRUE(session.note(key(0), moved, false));
  EXPECT_FALSE(session.note(key(0), moved, false));
  moved.log_start = 2;
  EXPECT_TRUE(session.note(key(0), moved, false));
  EXPECT_TRUE(session.note(key(0), {.has_error = true}, false));
  EXPECT_TRUE(session.note(key(0), {.has_error = true}, false)) << "errors are repeated";
  EXPECT_TRUE(session.note(key(0), moved, false)) << "and so is the end of one";
  EXPECT_TRUE(session.note(key(0), records(), false));
  EXPECT_FALSE(session.note(key(9), records(), false)) << "forgotten meanwhile";
}

TEST(FetchSession, PartitionsThatGotRecordsGoLast) {
  FetchSessionCache cache(10);
  FetchPlan plan = begin(cache, {ask(0), ask(1), ask(2)});
  plan.session->note(key(0), records(), true);
  plan.session->note(key(1), quiet(), true);
  EXPECT_EQ(partitions(plan.session->asks()), (std::vector{1, 2, 0}));
}

TEST(FetchSession, UnknownIdAndWrongEpochAreErrors) {
  FetchSessionCache cache(10);
  std::int32_t id = begin(cache, {ask(0)}).session->id();
  EXPECT_EQ(cache.plan({.session_id = id + 1, .epoch = 1}, kStart, 1).error,
            KafkaError::fetch_session_id_not_found);
  EXPECT_EQ(cache.plan({.session_id = id, .epoch = 2}, kStart, 1).error,
            KafkaError::invalid_fetch_session_epoch);
  EXPECT_EQ(cache.plan({.session_id = id, .epoch = 1, .uses_topic_ids = true}, kStart, 1).error,
            KafkaError::fetch_session_topic_id_error);
  EXPECT_EQ(cache.plan({.session_id = id, .epoch = -7}, kStart, 1).error,
            KafkaError::invalid_fetch_session_epoch);
}

TEST(FetchSession, EpochMinusOneClosesIt) {
  FetchSessionCache cache(10);
  std::int32_t id = begin(cache, {ask(0)}).session->id();
  EXPECT_FALSE(cache.plan({.session_id = id, .epoch = -1, .asks = {ask(0)}}, kStart, 1).session);
  EXPECT_EQ(cache.size(), 0u);
  EXPECT_EQ(cache.partitions(), 0u);
}

TEST(FetchSession, ForgettingAllEndsIt) {
  FetchSessionCache cache(10);
  std::int32_t id = begin(cache, {ask(0)}).session->id();
  FetchPlan plan = cache.plan({.session_id = id, .epoch = 1, .forgotten = {key(0)}}, kStart, 1);
  EXPECT_EQ(plan.error, KafkaError::none);
  EXPECT_FALSE(plan.session);
  EXPECT_EQ(cache.size(), 0u);
}

TEST(FetchSession, AFullCacheEvictsWhoWasUnusedAndElseRefuses) {
  FetchSessionCache cache(2);
  begin(cache, {ask(0)});
  begin(cache, {ask(0), ask(1), ask(2)});
  EXPECT_FALSE(begin(cache, {ask(0), ask(1)}).session) << "nobody is old enough";
  MonoTime later = kStart + kFetchSessionEvictionAge;
  EXPECT_TRUE(begin(cache, {ask(0), ask(1)}, later).session);
  EXPECT_EQ(cache.size(), 2u);
  EXPECT_EQ(cache.evictions(), 1u);
}

TEST(FetchSession, ABiggerSessionTakesThePlaceOfAnOldSmallOneInUse) {
  FetchSessionCache cache(1);
  std::int32_t id = begin(cache, {ask(0)}).session->id();
  MonoTime later = kStart + kFetchSessionEvictionAge;
  cache.plan({.session_id = id, .epoch = 1}, later, 1);
  EXPECT_FALSE(begin(cache, {ask(5)}, later).session) << "not bigger";
  EXPECT_TRUE(begin(cache, {ask(0), ask(1)}, later).session);
  EXPECT_EQ(cache.plan({.session_id = id, .epoch = 2}, later, 1).error,
            KafkaError::fetch_session_id_not_found);
}

TEST(FetchSession, IdsDoNotRepeat) {
  FetchSessionCache cache(100);
  std::vector<std::int32_t> ids;
  for (int i = 0; i < 50; ++i)
    ids.push_back(cache.plan({.epoch = 0, .asks = {ask(0)}}, kStart, 42).session->id());
  std::ranges::sort(ids);
  EXPECT_EQ(std::ranges::adjacent_find(ids), ids.end());
}

}  // namespace
}  // namespace weir::broker
