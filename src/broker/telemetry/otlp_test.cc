#include "broker/telemetry/otlp.h"

#include <gtest/gtest.h>

#include <random>

#include "broker/limits.h"
#include "broker/telemetry/testing/otlp_writer.h"

namespace weir::broker::telemetry {
namespace {

using testing::attribute;
using testing::bytes_field;
using testing::double_field;
using testing::metric;
using testing::metrics_data;
using testing::varint_field;

Result<std::vector<Point>> read(const std::string& message, std::size_t points_max = 100) {
  return read_metrics(as_bytes(message), points_max);
}

TEST(Otlp, GaugesAndSumsWithTheirAttributesAreRead) {
  const std::string message =
      metrics_data(metric("a.b.rate", 1.5, attribute("topic", "t")) + metric("a.total", -2)) +
      metrics_data(testing::sum("c.total", 7, true) + testing::sum("d.total", 8, false));
  const auto points = read(message);
  ASSERT_TRUE(points) << points.error().message;
  ASSERT_EQ(points->size(), 4u);
  EXPECT_EQ((*points)[0].metric, "a.b.rate");
  EXPECT_EQ((*points)[0].value, 1.5);
  EXPECT_EQ((*points)[0].attributes,
            (std::vector<std::pair<std::string, std::string>>{{"topic", "t"}}));
  EXPECT_EQ((*points)[1].value, -2);
  EXPECT_TRUE((*points)[2].delta);
  EXPECT_FALSE((*points)[3].delta);
  EXPECT_EQ((*points)[3].value, 8);
}

TEST(Otlp, UnknownFieldsAndKindsArePassedOver) {
  // A histogram (9), a field of the future (77), a 32-bit field (78).
  const std::string odd = bytes_field(2, bytes_field(1, "h") + bytes_field(9, "\x0a\x02zz")) +
                          varint_field(77, 300) + std::string("\xf5\x04\0\0\0\0", 6);
  const auto points = read(metrics_data(odd + metric("m", 1)));
  ASSERT_TRUE(points) << points.error().message;
  ASSERT_EQ(points->size(), 1u);
  EXPECT_EQ((*points)[0].metric, "m");
}

TEST(Otlp, LongTextsAreCut) {
  const std::string text(1'000'000, 'x');
  const auto points = read(metrics_data(metric(text, 1, attribute(text, text))));
  ASSERT_TRUE(points);
  EXPECT_EQ((*points)[0].metric.size(), kTelemetryLabelBytesMax);
  EXPECT_EQ((*points)[0].attributes[0].first.size(), kTelemetryLabelBytesMax);
  EXPECT_EQ((*points)[0].attributes[0].second.size(), kTelemetryLabelBytesMax);
}

TEST(Otlp, NothingIsAnEmptyMessage) {
  const auto points = read("");
  ASSERT_TRUE(points);
  EXPECT_TRUE(points->empty());
}

TEST(Otlp, TooManyNumbersAreRefused) {
  std::string metrics;
  for (int i = 0; i < 11; ++i) metrics += metric("m", i);
  EXPECT_TRUE(read(metrics_data(metrics), 11));
  EXPECT_EQ(read(metrics_data(metrics), 10).error().code, ErrorCode::too_large);
}

TEST(Otlp, EveryCutAndEveryDamagedByteIsAnErrorOrAMessage) {
  const std::string message = metrics_data(metric("name", 1.5, attribute("key", "value")));
  std::size_t refused = 0;
  for (std::size_t cut = 1; cut < message.size(); ++cut)
    refused += read(message.substr(0, cut)).has_value() ? 0 : 1;
  EXPECT_EQ(refused, message.size() - 1) << "the outermost field ends with the message";
  const auto seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (int i = 0; i < 2000; ++i) {
    std::string damaged = message;
    damaged[random() % damaged.size()] = static_cast<char>(random());
    const auto points = read(damaged);
    if (!points) EXPECT_EQ(points.error().code, ErrorCode::corrupt);
  }
}

TEST(Otlp, EndlessNumbersAreRefused) {
  for (const std::string& bad : {std::string(20, '\xff'), std::string("\x0a\xff\xff\xff\xff\x7f"),
                                 std::string("\0\0", 2), std::string("\x0b"), std::string("\x09")})
    EXPECT_EQ(read(bad).error().code, ErrorCode::corrupt) << to_hex(as_bytes(bad));
}

}  // namespace
}  // namespace weir::broker::telemetry
