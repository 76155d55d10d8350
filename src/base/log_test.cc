#include "base/log.h"

#include <gtest/gtest.h>

#include "base/metrics.h"
#include "base/result.h"

namespace weir {
namespace {

TEST(LogLine, quotes_what_needs_it_and_lets_nobody_forge_a_second_line) {
  EXPECT_EQ(format_log_line("event", {{"a", 1}, {"b", "two words"}, {"c", "x=y"}, {"d", ""}}),
            "event a=1 b=\"two words\" c=\"x=y\" d=\"\"");
  EXPECT_EQ(format_log_line("event", {{"client", "evil\nevent2 a=1\x1b"}}),
            "event client=\"evil\\x0aevent2 a=1\\x1b\"");
}

TEST(Result, context_is_added_on_the_way_up) {
  Result<int> inner = fail(ErrorCode::not_found, "no such object");
  Result<int> outer = with_context(inner.error(), "loading x");
  EXPECT_EQ(describe(outer.error()), "not_found: loading x: no such object");
}

TEST(Metrics, the_same_name_and_labels_are_one_series) {
  Metrics metrics;
  metrics.counter("weir_things_total", "Things", "kind=\"a\"").add(2);
  metrics.counter("weir_things_total", "Things", "kind=\"a\"").add(3);
  metrics.counter("weir_things_total", "Things", "kind=\"b\"").add(1);
  EXPECT_EQ(metrics.render(),
            "# HELP weir_things_total Things\n# TYPE weir_things_total counter\n"
            "weir_things_total{kind=\"a\"} 5\nweir_things_total{kind=\"b\"} 1\n");
}

TEST(Metrics, histogram_buckets_are_cumulative_and_scaled) {
  Metrics metrics;
  Histogram& h = metrics.histogram("weir_wait_seconds", "Wait", 1e-6);
  for (std::uint64_t v : {1u, 2u, 3u, 1'000'000u}) h.observe(v);
  std::string text = metrics.render();
  EXPECT_NE(text.find("weir_wait_seconds_bucket{le=\"1e-06\"} 1\n"), std::string::npos) << text;
  EXPECT_NE(text.find("weir_wait_seconds_bucket{le=\"4e-06\"} 3\n"), std::string::npos);
  EXPECT_NE(text.find("weir_wait_seconds_bucket{le=\"+Inf\"} 4\n"), std::string::npos);
  EXPECT_NE(text.find("weir_wait_seconds_sum 1.000006\n"), std::string::npos);
}

TEST(Metrics, labelled_histograms_appear_with_their_first_value) {
  Metrics metrics;
  Histogram& h = metrics.histogram("weir_wait_seconds", "Wait.", 1e-6, "api=\"Fetch\"");
  EXPECT_EQ(metrics.render(),
            "# HELP weir_wait_seconds Wait\n# TYPE weir_wait_seconds histogram\n");
  h.observe(1);
  EXPECT_NE(metrics.render().find("weir_wait_seconds_count{api=\"Fetch\"} 1\n"), std::string::npos);
}

}  // namespace
}  // namespace weir
