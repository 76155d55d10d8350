#include "broker/telemetry/client_metrics.h"

#include <gtest/gtest.h>

#include "broker/limits.h"

namespace weir::broker::telemetry {
namespace {

using Ask = ClientMetrics::Ask;

Uuid instance(int number) {
  Uuid id;
  id.bytes[0] = 1;
  id.bytes[14] = static_cast<std::uint8_t>(number >> 8);
  id.bytes[15] = static_cast<std::uint8_t>(number);
  return id;
}

class ClientMetricsTest : public ::testing::Test {
 protected:
  void push(int client, const std::vector<Point>& points) {
    EXPECT_EQ(metrics.push(instance(client), 10s, false, now), Ask::accepted);
    metrics.store(instance(client), {.client_instance_id = "i", .client_id = "c\"1\n"}, points);
    now += 10s;
  }
  bool shows(std::string_view part) { return registry.render().find(part) != std::string::npos; }

  Metrics registry;
  ClientMetrics metrics{registry};
  MonoTime now{};
};

TEST_F(ClientMetricsTest, ShowsTheLastGaugeAndTheSumOfDeltas) {
  push(1, {{"g", {{"topic", "t"}}, 1.5}, {"s", {}, 2, true}});
  push(1, {{"g", {{"topic", "t"}}, 2.5}, {"s", {}, 3, true}});
  EXPECT_TRUE(
      shows("weir_client_metric{client_instance_id=\"i\",client_id=\"c\\\"1_\","
            "client_software_name=\"\",client_software_version=\"\",metric=\"g\","
            "attr_topic=\"t\"} 2.5\n"))
      << registry.render();
  EXPECT_TRUE(shows("metric=\"s\"} 5\n"));
  EXPECT_TRUE(shows("weir_client_telemetry_pushes_total 2\n"));
}

TEST_F(ClientMetricsTest, SeriesOfOneClientAreBounded) {
  std::vector<Point> points;
  for (std::size_t i = 0; i < kTelemetrySeriesPerClientMax + 7; ++i)
    points.push_back({"m" + std::to_string(i), {}, 1});
  push(1, points);
  EXPECT_TRUE(shows("weir_client_telemetry_dropped_total 7\n"));
  push(1, points);
  EXPECT_TRUE(shows("weir_client_telemetry_dropped_total 14\n")) << "those that are there stay";
}

TEST_F(ClientMetricsTest, SilentClientsGiveWay) {
  push(1, {{"m", {}, 1}});
  for (int i = 0; i < 3; ++i) push(2, {{"m", {}, 1}});
  EXPECT_EQ(metrics.clients(), 2u);
  push(2, {{"m", {}, 1}});
  EXPECT_EQ(metrics.clients(), 1u) << "client 1 was silent for over three intervals";
  EXPECT_EQ(metrics.push(instance(1), 10s, false, now), Ask::accepted) << "it may come back";
}

TEST_F(ClientMetricsTest, ClientsAreBounded) {
  for (std::size_t i = 0; i < kTelemetryClientsMax + 10; ++i)
    EXPECT_EQ(metrics.ask(instance(static_cast<int>(i)), 600s, now), Ask::accepted);
  EXPECT_EQ(metrics.clients(), kTelemetryClientsMax);
}

TEST_F(ClientMetricsTest, NobodyAsksOrPushesTooOften) {
  EXPECT_EQ(metrics.ask(instance(1), 10s, now), Ask::accepted);
  EXPECT_EQ(metrics.ask(instance(1), 10s, now + 5s), Ask::too_early);
  EXPECT_EQ(metrics.push(instance(1), 10s, false, now + 5s), Ask::accepted) << "the first may";
  EXPECT_EQ(metrics.push(instance(1), 10s, false, now + 9s), Ask::too_early);
  EXPECT_EQ(metrics.push(instance(1), 10s, false, now + 15s), Ask::accepted);
  metrics.refused(instance(1));
  EXPECT_EQ(metrics.ask(instance(1), 10s, now + 16s), Ask::accepted) << "what was refused";
  EXPECT_EQ(metrics.ask(instance(1), 10s, now + 17s), Ask::too_early);
}

TEST_F(ClientMetricsTest, AGoodbyeIsTakenEarlyAndIsTheLast) {
  EXPECT_EQ(metrics.push(instance(1), 10s, false, now), Ask::accepted);
  EXPECT_EQ(metrics.push(instance(1), 10s, true, now + 1s), Ask::accepted);
  EXPECT_EQ(metrics.push(instance(1), 10s, true, now + 20s), Ask::after_goodbye);
}

TEST_F(ClientMetricsTest, AnInstanceIsNamedAsKafkaNamesIt) {
  Uuid id;
  id.bytes.fill(0xfb);
  EXPECT_EQ(instance_text(id), "-_v7-_v7-_v7-_v7-_v7-w");
}

}  // namespace
}  // namespace weir::broker::telemetry
