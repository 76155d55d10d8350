#include "broker/telemetry/client_metrics.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "broker/limits.h"
#include "crypto/base64.h"

namespace weir::broker::telemetry {
namespace {

/// A label value as Prometheus wants it, cut at the limit.
void append_label(std::string& out, std::string_view name, std::string_view value) {
  if (!out.empty()) out.push_back(',');
  for (char c : name.substr(0, kTelemetryLabelBytesMax)) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    out.push_back(plain ? c : '_');
  }
  out.append("=\"");
  for (char c : value.substr(0, kTelemetryLabelBytesMax)) {
    if (c == '"' || c == '\\') out.push_back('\\');
    // Bytes that are not plain text could end the line or not be UTF-8.
    out.push_back(c >= ' ' && c <= '~' ? c : '_');
  }
  out.push_back('"');
}

void append_number(std::string& out, double value) {
  if (std::isnan(value)) {
    out.append("NaN");
  } else if (std::isinf(value)) {
    out.append(value > 0 ? "+Inf" : "-Inf");
  } else {
    std::array<char, 32> text{};
    auto end = std::to_chars(text.begin(), text.end(), value).ptr;
    out.append(text.begin(), end);
  }
}

}  // namespace

std::string instance_text(Uuid instance) {
  std::string text = crypto::base64_encode(instance.view());
  while (text.ends_with('=')) text.pop_back();
  std::ranges::replace(text, '+', '-');
  std::ranges::replace(text, '/', '_');
  return text;
}

ClientMetrics::ClientMetrics(Metrics& registry)
    : registry_(registry),
      pushes_(registry.counter("weir_client_telemetry_pushes_total",
                               "Pushes of client metrics that were stored")),
      dropped_(registry.counter("weir_client_telemetry_dropped_total",
                                "Pushed numbers that were dropped because of a limit")),
      known_(registry.gauge("weir_client_telemetry_clients", "Clients whose metrics are kept")) {
  registry_.add_source(*this);
}

ClientMetrics::~ClientMetrics() { registry_.remove_source(*this); }

void ClientMetrics::forget_silent(MonoTime now) {
  constexpr int kIntervalsKept = 3;
  while (!clients_.empty() &&
         now - clients_.front().used > clients_.front().interval * kIntervalsKept)
    forget_oldest();
}

void ClientMetrics::forget_oldest() {
  series_ -= clients_.front().series.size();
  by_instance_.erase(clients_.front().instance);
  clients_.pop_front();
}

ClientMetrics::Client& ClientMetrics::client(Uuid instance, Duration interval, MonoTime now) {
  forget_silent(now);
  auto found = by_instance_.find(instance);
  if (found == by_instance_.end()) {
    if (clients_.size() >= kTelemetryClientsMax) forget_oldest();
    clients_.emplace_back().instance = instance;
    found = by_instance_.emplace(instance, std::prev(clients_.end())).first;
  } else {
    clients_.splice(clients_.end(), clients_, found->second);
  }
  known_.set(static_cast<std::int64_t>(clients_.size()));
  found->second->used = now;
  found->second->interval = interval;
  return *found->second;
}

ClientMetrics::Ask ClientMetrics::ask(Uuid instance, Duration interval, MonoTime now) {
  std::lock_guard lock(mutex_);
  Client& known = client(instance, interval, now);
  const std::optional<MonoTime> last = std::max(known.asked, known.pushed);
  const bool early = last && now - *last < interval && !std::exchange(known.forgiven, false);
  if (early) return Ask::too_early;
  known.asked = now;
  return Ask::accepted;
}

ClientMetrics::Ask ClientMetrics::push(Uuid instance, Duration interval, bool goodbye,
                                       MonoTime now) {
  std::lock_guard lock(mutex_);
  Client& known = client(instance, interval, now);
  if (known.goodbye) return Ask::after_goodbye;
  // The first push after an answer may come at once, for clients spread it themselves.
  const bool fresh = !known.pushed || known.asked > known.pushed;
  if (!goodbye && !fresh && now - *known.pushed < interval) return Ask::too_early;
  known.goodbye = goodbye;
  known.pushed = now;
  return Ask::accepted;
}

void ClientMetrics::refused(Uuid instance) {
  std::lock_guard lock(mutex_);
  auto found = by_instance_.find(instance);
  if (found != by_instance_.end()) found->second->forgiven = true;
}

void ClientMetrics::add(Client& client, const Point& point) {
  std::string labels;
  append_label(labels, "metric", point.metric);
  for (const auto& [key, value] : point.attributes) append_label(labels, "attr_" + key, value);
  auto at = client.series.find(labels);
  if (at == client.series.end()) {
    if (client.series.size() >= kTelemetrySeriesPerClientMax || series_ >= kTelemetrySeriesMax)
      return dropped_.add();
    at = client.series.emplace(std::move(labels), 0).first;
    ++series_;
  }
  at->second = point.delta ? at->second + point.value : point.value;
}

void ClientMetrics::store(Uuid instance, const ClientTraits& traits,
                          const std::vector<Point>& points) {
  std::lock_guard lock(mutex_);
  auto found = by_instance_.find(instance);
  if (found == by_instance_.end()) return;
  Client& client = *found->second;
  client.labels.clear();
  append_label(client.labels, "client_instance_id", traits.client_instance_id);
  append_label(client.labels, "client_id", traits.client_id);
  append_label(client.labels, "client_software_name", traits.client_software_name);
  append_label(client.labels, "client_software_version", traits.client_software_version);
  for (const Point& point : points) add(client, point);
  pushes_.add();
}

void ClientMetrics::render_metrics(std::string& out) const {
  std::lock_guard lock(mutex_);
  if (series_ == 0) return;
  out.append("# HELP weir_client_metric Metrics that clients pushed, by name and client\n");
  out.append("# TYPE weir_client_metric untyped\n");
  for (const Client& client : clients_)
    for (const auto& [labels, value] : client.series) {
      out.append("weir_client_metric{").append(client.labels).append(",").append(labels);
      out.append("} ");
      append_number(out, value);
      out.push_back('\n');
    }
}

}  // namespace weir::broker::telemetry
