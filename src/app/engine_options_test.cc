#include "app/engine_options.h"

#include <gtest/gtest.h>

namespace weir::app {
namespace {

using objstore::StoreKind;

BrokerOptions on(std::string store, std::optional<std::string> log = std::nullopt) {
  BrokerOptions options;
  options.store_url = std::move(store);
  options.log_url = std::move(log);
  options.segment_bytes_target = 8u << 20;
  return options;
}

engine::Options told(const BrokerOptions& options) { return engine_options(options, "test", 1); }

TEST(EngineOptionsTest, knows_stores_by_their_urls) {
  EXPECT_EQ(kind_of("file:///tmp/x"), StoreKind::local);
  EXPECT_EQ(kind_of("memory://"), StoreKind::local);
  EXPECT_EQ(kind_of("s3://bucket/prefix?region=r"), StoreKind::s3);
  EXPECT_EQ(kind_of("s3://a--use1-az4--x-s3"), StoreKind::s3_express);
  EXPECT_EQ(kind_of("s3://a--use1-az4--x-s3/p?region=r"), StoreKind::s3_express);
  EXPECT_EQ(kind_of("s3://bucket/a--use1-az4--x-s3"), StoreKind::s3);
  EXPECT_EQ(kind_of("gs://bucket"), StoreKind::gcs);
}

TEST(EngineOptionsTest, directories_are_fast_and_free) {
  engine::Options out = told(on("file:///tmp/x"));
  EXPECT_EQ(out.flush_interval_min, 0ms);
  EXPECT_EQ(out.flush_interval_max, 5ms);
  EXPECT_EQ(out.inline_bytes, 1u << 20);
  EXPECT_EQ(out.request_budget.requests_per_second, 0);
  EXPECT_EQ(out.session_timeout, 9s);
}

TEST(EngineOptionsTest, stores_that_charge_get_a_budget_and_windows) {
  for (const char* url : {"s3://bucket", "gs://bucket"}) {
    engine::Options out = told(on(url));
    EXPECT_EQ(out.flush_interval_min, 150ms);
    EXPECT_EQ(out.flush_interval_max, 500ms);
    EXPECT_EQ(out.inline_bytes, 256u << 10);
    EXPECT_EQ(out.request_budget.requests_per_second, 5);
    EXPECT_EQ(out.request_budget.commit_gap_max, 250ms);
  }
  engine::Options express = told(on("s3://bucket", "s3://a--use1-az4--x-s3"));
  EXPECT_EQ(express.inline_bytes, 1u << 20);
  EXPECT_LT(express.flush_interval_max, 150ms);
  engine::Options local_log = told(on("s3://bucket", "file:///tmp/log"));
  EXPECT_EQ(local_log.inline_bytes, 1u << 20);
  EXPECT_EQ(local_log.request_budget.commit_gap_max, 0ms);
  EXPECT_EQ(local_log.session_timeout, 9s);
}

TEST(EngineOptionsTest, what_was_set_counts_more_than_the_store) {
  BrokerOptions options = on("s3://bucket");
  options.flush_interval_max = 100ms;
  options.request_budget = 2;
  options.inline_bytes_max = 0;
  options.kafka.push_back({"broker.session.timeout.ms", "9000", "--set"});
  engine::Options out = told(options);
  EXPECT_EQ(out.flush_interval_min, 100ms) << "no longer than the longest";
  EXPECT_EQ(out.flush_interval_max, 100ms);
  EXPECT_EQ(out.request_budget.requests_per_second, 2);
  EXPECT_EQ(out.request_budget.commit_gap_max, 5s) << "a budget that was asked for is kept";
  EXPECT_EQ(out.inline_bytes, 0u);
  EXPECT_EQ(out.session_timeout, 9s);
}

}  // namespace
}  // namespace weir::app
