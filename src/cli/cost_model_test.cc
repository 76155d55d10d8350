#include "cli/cost_model.h"

#include <gtest/gtest.h>

namespace weir::cli {
namespace {

CostLoad load(double bytes_per_second, std::uint64_t brokers) {
  CostLoad out;
  out.bytes_per_second = bytes_per_second;
  out.brokers = brokers;
  return out;
}

double requests(const Bill& bill) { return bill.write_requests + bill.read_requests; }

TEST(CostModelTest, a_small_cluster_costs_less_than_a_hundred_dollars) {
  EXPECT_LT(estimate(load(100'000, 3)).total(), 100);
  EXPECT_LT(estimate(load(100'000, 1)).total(), 60);
  EXPECT_LT(estimate(load(0, 3)).total(), 5);
  EXPECT_LT(estimate(load(0, 1)).writes_per_second + estimate(load(0, 1)).reads_per_second, 0.2);
  Bill idle = estimate(load(0, 3));
  EXPECT_LE(idle.writes_per_second + idle.reads_per_second, 0.5);
}

TEST(CostModelTest, of_much_load_the_storage_is_most) {
  Bill bill = estimate(load(100e6, 3));
  EXPECT_GT(bill.storage, requests(bill));
  // 100 MB/s for a week at 0.023 $ a GB.
  EXPECT_NEAR(bill.storage, 100e6 * 604'800 / 1e9 * 0.023, 1);
  EXPECT_GE(bill.writes_per_second, 100e6 / (8 << 20));
}

TEST(CostModelTest, a_smaller_budget_and_compression_make_it_cheaper) {
  CostLoad cheap = load(100'000, 1);
  cheap.request_budget = 1;
  EXPECT_LT(requests(estimate(cheap)), requests(estimate(load(100'000, 1))) / 2);
  CostLoad compressed = load(10e6, 1);
  compressed.stored_share = 0.25;
  EXPECT_NEAR(estimate(compressed).storage, estimate(load(10e6, 1)).storage / 4, 0.01);
}

TEST(CostModelTest, every_store_has_its_prices) {
  CostLoad s3 = load(10e6, 3), express = s3, gcs = s3;
  express.store = objstore::StoreKind::s3_express;
  gcs.store = objstore::StoreKind::gcs;
  EXPECT_EQ(estimate(s3).store_transfer, 0);
  EXPECT_GT(estimate(express).store_transfer, 0);
  EXPECT_GT(estimate(express).storage, 4 * estimate(s3).storage);
  EXPECT_LT(estimate(gcs).storage, estimate(s3).storage);
  for (const CostLoad& one : {s3, express, gcs})
    EXPECT_NE(estimate(one).priced_by.find("2026"), std::string::npos);
  CostLoad zones = s3;
  zones.cross_zone_share = 0.5;
  EXPECT_GT(estimate(zones).zone_transfer, 0);
}

constexpr std::string_view kMetrics =
    "# TYPE weir_flush_bytes_total counter\n"
    "weir_flush_bytes_total 1000\n"
    "weir_store_requests_total{store=\"data\",verb=\"put\",outcome=\"ok\"} 10\n"
    "weir_store_requests_total{store=\"data\",verb=\"put_if_absent\",outcome=\"ok\"} 20\n"
    "weir_store_requests_total{store=\"data\",verb=\"put_if_absent\",outcome=\"already_exists\"} "
    "1\n"
    "weir_store_requests_total{store=\"data\",verb=\"list\",outcome=\"ok\"} 2\n"
    "weir_store_requests_total{store=\"data\",verb=\"remove\",outcome=\"ok\"} 50\n"
    "weir_store_requests_total{store=\"data\",verb=\"get\",outcome=\"ok\"} 5\n"
    "weir_store_requests_total{store=\"data\",verb=\"get_range\",outcome=\"ok\"} 7\n"
    "weir_store_requests_total{store=\"data\",verb=\"head\",outcome=\"not_found\"} 1\n"
    "weir_store_bytes_total{store=\"data\",direction=\"written\"} 3000\n"
    "weir_store_bytes_total{store=\"data\",direction=\"read\"} 400\n";

TEST(CostModelTest, reads_a_brokers_counters) {
  auto counters = cost_counters(kMetrics);
  ASSERT_TRUE(counters.has_value()) << counters.error().message;
  EXPECT_EQ(counters->writes, 31);
  EXPECT_EQ(counters->lists, 2);
  EXPECT_EQ(counters->reads, 13);
  EXPECT_EQ(counters->written_bytes, 3'000);
  EXPECT_EQ(counters->read_bytes, 400);
  EXPECT_EQ(counters->flushed_bytes, 1'000);
}

TEST(CostModelTest, text_that_is_no_metrics_is_refused_with_a_sentence) {
  EXPECT_FALSE(cost_counters("<html>").has_value());
  EXPECT_FALSE(cost_counters("").has_value());
  auto local = cost_counters("weir_flush_bytes_total 5\n");
  ASSERT_FALSE(local.has_value());
  EXPECT_NE(local.error().message.find("directory"), std::string::npos);
}

TEST(CostModelTest, what_goes_on_between_two_readings_is_the_bill) {
  CostCounters before;
  CostCounters after{.writes = 270, .lists = 30, .reads = 600, .flushed_bytes = 60e6};
  Bill bill = bill_of(before, after, 1min, load(0, 1));
  EXPECT_DOUBLE_EQ(bill.writes_per_second, 5);
  EXPECT_DOUBLE_EQ(bill.reads_per_second, 10);
  EXPECT_NEAR(bill.write_requests, 5 * 0.000005 * 30.44 * 86'400, 0.01);
  EXPECT_NEAR(bill.stored_bytes, 1e6 * 604'800, 1);
}

}  // namespace
}  // namespace weir::cli
