#include "app/engine_options.h"

#include <algorithm>

#include "base/ensure.h"
#include "broker/config/config_def.h"

namespace weir::app {
namespace {

/// A hundred years: more would not fit into a duration.
constexpr std::int64_t kRetentionMinutesMax = 52'560'000;
constexpr std::uint64_t kMergeBytesMin = 2u << 20;
/// A budget that somebody asked for is kept, if commits wait seconds for it.
constexpr Duration kGivenGapMax = 5s;

bool is_given(const BrokerOptions& options, std::string_view name) {
  return std::ranges::any_of(options.kafka, [&](const KafkaOption& o) { return o.name == name; });
}

/// Of an option that has a default; what is given was checked.
std::int64_t kafka_integer(const BrokerOptions& options, std::string_view name) {
  const broker::config::ConfigDef* def =
      broker::config::find_def(broker::config::broker_defs(), name);
  ENSURE(def != nullptr);
  std::string text = def->default_value;
  for (const KafkaOption& option : options.kafka)
    if (option.name == name) text = option.value;
  return broker::config::parse_integer(text).value_or(0);
}

/// Absent where it is not given.
std::optional<std::int64_t> given_integer(const broker::config::StaticValues& given,
                                          const char* name) {
  auto found = given.find(name);
  return found == given.end() ? std::nullopt : broker::config::parse_integer(found->second);
}

/// Each entry costs a request, vouchers too, and every peer reads every entry
/// (docs/adr/0013-flush-policy.md).
void pay_for_requests(engine::Options& out) {
  out.request_budget = {.requests_per_second = 5, .commit_gap_max = 250ms};
  out.flush_interval_min = 150ms;
  out.flush_interval_max = 500ms;
  out.flights_max = 64;
  out.session_timeout = 30s;
  out.poll_busy = 200ms;
  out.poll_idle = 1min;
  out.tail_check = 2min;
}

}  // namespace

objstore::StoreKind kind_of(std::string_view url) {
  if (url.starts_with("gs:")) return objstore::StoreKind::gcs;
  if (!url.starts_with("s3:")) return objstore::StoreKind::local;
  std::string_view bucket =
      url.substr(0, url.find_first_of("/?", std::string_view("s3://").size()));
  return bucket.ends_with("--x-s3") ? objstore::StoreKind::s3_express : objstore::StoreKind::s3;
}

void suit_stores(objstore::StoreKind store, objstore::StoreKind log, engine::Options& out) {
  if (store == objstore::StoreKind::local && log == objstore::StoreKind::local) return;
  pay_for_requests(out);
  if (log == objstore::StoreKind::s3 || log == objstore::StoreKind::gcs)
    out.inline_bytes = 256u << 10;
  if (log == objstore::StoreKind::s3_express) {
    // It answers in a tenth of the time, for a fifth of the price.
    out.request_budget = {.requests_per_second = 20, .commit_gap_max = 50ms};
    out.flush_interval_min = 20ms;
    out.flush_interval_max = 100ms;
  }
  if (log == objstore::StoreKind::local) {
    // Only uploads are paid for.
    out.request_budget.commit_gap_max = 0ms;
    out.flush_interval_min = 20ms;
    out.session_timeout = 9s;
    out.poll_idle.reset();
    out.poll_busy = 100ms;
  }
}

engine::Options engine_options(const BrokerOptions& options, const std::string& version,
                               std::size_t cache_bytes) {
  engine::Options out;
  out.cluster_id = options.cluster_id.value_or("");
  out.node_id = options.node_id;
  out.zone = options.zone;
  out.shared_identity = options.identity == Identity::shared;
  out.software_version = version;
  suit_stores(kind_of(options.store_url), kind_of(options.log_url.value_or(options.store_url)),
              out);
  if (options.flush_interval_min) out.flush_interval_min = *options.flush_interval_min;
  if (options.flush_interval_max) out.flush_interval_max = *options.flush_interval_max;
  // One of the two given alone may pass the default of the other.
  if (!options.flush_interval_min)
    out.flush_interval_min = std::min(out.flush_interval_min, out.flush_interval_max);
  if (!options.flush_interval_max)
    out.flush_interval_max = std::max(out.flush_interval_min, out.flush_interval_max);
  if (options.inline_bytes_max) out.inline_bytes = *options.inline_bytes_max;
  if (options.request_budget)
    out.request_budget = {static_cast<double>(*options.request_budget), kGivenGapMax};
  if (is_given(options, "broker.session.timeout.ms"))
    out.session_timeout = kafka_integer(options, "broker.session.timeout.ms") * 1ms;
  out.segment_bytes = options.segment_bytes_target;
  out.cache_bytes = cache_bytes;
  const std::int64_t retention = kafka_integer(options, "offsets.retention.minutes");
  out.offsets_retention = std::min(retention, kRetentionMinutesMax) * 1min;
  out.offsets_retention_check = kafka_integer(options, "offsets.retention.check.interval.ms") * 1ms;
  return out;
}

/// Waits for readers and uploads in flight are short where the store is a directory: its log knows
/// the floor, nothing there takes minutes, and requests cost nothing.
engine::MaintenanceOptions maintenance_options(const BrokerOptions& options,
                                               const broker::config::StaticValues& given,
                                               std::uint64_t memory_bytes) {
  engine::MaintenanceOptions out;
  if (options.store_url.starts_with("file:") || options.store_url.starts_with("memory:")) {
    out.horizon_interval = 10s;
    out.deletion_delay = 10s;
    out.merge_interval = 10s;
    out.merge_before_compaction = false;
    out.clock_interval_idle = 1min;
  }
  out.log_grace = options.log_grace.value_or(Duration(0));
  if (auto ms = given_integer(given, "log.retention.check.interval.ms"))
    out.retention_check = std::chrono::milliseconds(*ms);
  if (auto ms = given_integer(given, "log.segment.delete.delay.ms"); ms && *ms >= 0) {
    out.deletion_delay = std::chrono::milliseconds(*ms);
    // An upload that takes longer is made again, so it is never very short.
    out.horizon_interval = std::clamp<Duration>(out.deletion_delay, 10s, out.horizon_interval);
  }
  out.compaction_memory_bytes =
      std::min<std::uint64_t>(out.compaction_memory_bytes, memory_bytes / 8);
  if (auto bytes = given_integer(given, "log.cleaner.dedupe.buffer.size"); bytes && *bytes > 0)
    out.compaction_memory_bytes =
        std::min<std::uint64_t>(static_cast<std::uint64_t>(*bytes), memory_bytes / 2);
  if (auto ms = given_integer(given, "log.cleaner.backoff.ms"))
    out.compaction_interval = std::max<Duration>(std::chrono::milliseconds(*ms), 1s);
  // What a merge and a compaction hold while they work comes on top of the budget's pools.
  out.merge_pass_bytes =
      std::min<std::uint64_t>(out.merge_pass_bytes, std::max(memory_bytes * 3 / 8, kMergeBytesMin));
  out.merge_segment_bytes = std::min(out.merge_segment_bytes, out.merge_pass_bytes);
  return out;
}

}  // namespace weir::app
