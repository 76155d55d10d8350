// ClientMetrics: what clients have pushed, as series of the metric `weir_client_metric`.
//
// A client may send any name and attribute, so everything is bounded: clients, series per client,
// bytes of a label. The client that was silent longest gives way to a new one; a client that says
// goodbye, or is silent for three of its intervals, disappears. Also keeps when each client asked
// and pushed last, so that none can send more often than it was told.
//
// Filled on the engine's loop; rendered on any thread, under a lock.
#pragma once

#include <list>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/ids.h"
#include "base/metrics.h"
#include "base/time.h"
#include "broker/telemetry/client_match.h"
#include "broker/telemetry/otlp.h"

namespace weir::broker::telemetry {

class ClientMetrics final : public MetricsSource {
 public:
  explicit ClientMetrics(Metrics& registry);
  ~ClientMetrics() override;
  ClientMetrics(const ClientMetrics&) = delete;
  ClientMetrics& operator=(const ClientMetrics&) = delete;

  enum class Ask : std::uint8_t { accepted, too_early, after_goodbye };
  /// Notes that a client asks for its subscription. `interval`: what it was told.
  Ask ask(Uuid instance, Duration interval, MonoTime now);
  /// Notes that a client pushes; `goodbye` is accepted early, but nothing after it is.
  Ask push(Uuid instance, Duration interval, bool goodbye, MonoTime now);
  /// What was pushed was not taken: the client may ask again at once.
  void refused(Uuid instance);

  /// Takes over the numbers of a push that was accepted.
  void store(Uuid instance, const ClientTraits& client, const std::vector<Point>& points);

  std::size_t clients() const { return clients_.size(); }
  void render_metrics(std::string& out) const override;

 private:
  struct Client {
    Uuid instance;
    Duration interval{};
    std::optional<MonoTime> asked;
    std::optional<MonoTime> pushed;
    MonoTime used{};
    bool goodbye = false;
    bool forgiven = false;
    /// Labels of the client itself.
    std::string labels;
    /// By the labels of the series.
    std::map<std::string, double, std::less<>> series;
  };
  Client& client(Uuid instance, Duration interval, MonoTime now);
  void forget_silent(MonoTime now);
  void forget_oldest();
  void add(Client& client, const Point& point);

  Metrics& registry_;
  Counter& pushes_;
  Counter& dropped_;
  Gauge& known_;
  mutable std::mutex mutex_;
  /// Least recently used first.
  std::list<Client> clients_;
  std::unordered_map<Uuid, std::list<Client>::iterator> by_instance_;
  std::size_t series_ = 0;
};

/// As Kafka prints it: base64 for URLs without padding.
std::string instance_text(Uuid instance);

}  // namespace weir::broker::telemetry
