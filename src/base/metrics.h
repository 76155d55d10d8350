// Metrics front end: counters, gauges and histograms, named by Prometheus conventions with units.
//
// A metric is declared beside what it measures and handed a `Metrics` registry. Updating one is one
// relaxed atomic addition, so hot paths may. `admin` renders the registry as Prometheus text.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace weir {

class Counter {
 public:
  void add(std::uint64_t n = 1) { value_.fetch_add(n, std::memory_order_relaxed); }
  std::uint64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

class Gauge {
 public:
  void set(std::int64_t v) { value_.store(v, std::memory_order_relaxed); }
  void add(std::int64_t n) { value_.fetch_add(n, std::memory_order_relaxed); }
  std::int64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::int64_t> value_{0};
};

/// Buckets at powers of two, 2^0 … 2^31 of the base unit, then everything above.
class Histogram {
 public:
  static constexpr std::size_t kBuckets = 33;
  void observe(std::uint64_t v);
  std::uint64_t bucket(std::size_t i) const { return buckets_[i].load(std::memory_order_relaxed); }
  std::uint64_t sum() const { return sum_.load(std::memory_order_relaxed); }

 private:
  std::array<std::atomic<std::uint64_t>, kBuckets> buckets_{};
  std::atomic<std::uint64_t> sum_{0};
};

/// Somebody whose series come and go, so that a registry cannot own them.
class MetricsSource {
 public:
  virtual ~MetricsSource() = default;
  /// Appends whole families; called on any thread.
  virtual void render_metrics(std::string& out) const = 0;
};

/// Owns all metrics of a process. Registration takes a lock; references stay valid as long as the
/// registry. Registering the same name and labels twice gives the same object.
class Metrics {
 public:
  /// `name` as `weir_requests_total`; `labels` as `api="Fetch",zone="a"` (already escaped) or
  /// empty.
  Counter& counter(std::string_view name, std::string_view help, std::string_view labels = {});
  Gauge& gauge(std::string_view name, std::string_view help, std::string_view labels = {});
  /// Observed values are multiplied by `scale` when rendered: microseconds with 1e-6 for a
  /// `_seconds` name.
  Histogram& histogram(std::string_view name, std::string_view help, double scale,
                       std::string_view labels = {});

  /// `source` is rendered after the registry's own, until it is removed.
  void add_source(const MetricsSource& source);
  void remove_source(const MetricsSource& source);

  /// The whole registry as Prometheus text exposition format 0.0.4.
  std::string render() const;

 private:
  enum class Kind { counter, gauge, histogram };
  struct Series {
    std::string labels;
    Counter counter;
    Gauge gauge;
    Histogram histogram;
  };
  struct Family {
    std::string name, help;
    Kind kind;
    double scale;
    std::deque<Series> series;
  };
  Series& series(Kind kind, std::string_view name, std::string_view help, double scale,
                 std::string_view labels);
  static void render_histogram(std::string& out, const Family& family, const Series& series);

  mutable std::mutex mutex_;
  std::deque<Family> families_;
  std::vector<const MetricsSource*> sources_;
};

}  // namespace weir
