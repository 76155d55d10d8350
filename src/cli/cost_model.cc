#include "cli/cost_model.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace weir::cli {
namespace {

constexpr double kSecondsPerMonth = 30.44 * 86'400;
constexpr double kGigabyte = 1e9;
/// For a byte that crosses zones, both directions together (AWS EC2 data transfer, 2026-11).
constexpr double kCrossZoneGigabyte = 0.02;
constexpr double kSegmentBytes = 8 << 20;
constexpr double kMergedSegmentBytes = 32 << 20;
/// A reader that is behind asks for about so much at once.
constexpr double kColdReadBytes = 1 << 20;
/// Creates that find their position taken, where several brokers write.
constexpr double kLostCreates = 0.15;
/// Looks for entries of others while fetches wait, for each broker.
constexpr double kLooksPerSecond = 2;
/// The same of a broker that is alone, and of an idle one (a look and a sign of life).
constexpr double kLooksAlonePerSecond = 0.2;
constexpr double kIdleLookSeconds = 10;
constexpr double kVoucherSeconds = 30;

/// As app/engine_options.cc sets them.
struct Windows {
  double budget;
  double gap_max;
  double min;
  double max;
  double inline_bytes;
};

Windows windows_of(const CostLoad& load) {
  Windows w = load.store == objstore::StoreKind::s3_express
                  ? Windows{20, 0.05, 0.02, 0.1, 1 << 20}
                  : Windows{5, 0.25, 0.15, 0.5, 256 << 10};
  if (load.request_budget > 0) {
    w.budget = load.request_budget;
    w.gap_max = 5;
  }
  return w;
}

/// Creates and uploads a second of one broker that gets `bytes` a second.
struct Pace {
  double creates = 0;
  double segments = 0;
};

Pace pace_of(const Windows& w, double bytes, double brokers) {
  if (bytes <= 0) return {};
  double rate = 0.8 * w.budget / brokers + 0.5 * bytes / 1e6;
  double longest = std::max(w.max, w.gap_max * brokers);
  double every = std::clamp(1 / rate, w.min, longest);
  if (bytes * std::min(every, w.max) <= w.inline_bytes) return {1 / every, 0};
  every = std::clamp(2 / rate, w.min, w.max);
  return {1 / every, std::ceil(bytes * every / kSegmentBytes) / every};
}

void add_prices(const objstore::PriceTable& prices, const CostLoad& load, Bill& bill) {
  bill.priced_by = objstore::price_source(load.store);
  bill.write_requests = bill.writes_per_second * prices.write / 1e3 * kSecondsPerMonth;
  bill.read_requests = bill.reads_per_second * prices.read / 1e3 * kSecondsPerMonth;
  bill.storage = bill.stored_bytes / kGigabyte * prices.stored_gigabyte;
  bill.store_transfer = (bill.written_bytes_per_second * prices.written_gigabyte +
                         bill.read_bytes_per_second * prices.read_gigabyte) /
                        kGigabyte * kSecondsPerMonth;
}

double seconds(Duration d) { return static_cast<double>(d.count()) / 1e9; }

/// `name{…}` with all of `labels` in its braces, summed over what matches. Nothing: no such line.
std::optional<double> sum_of(std::string_view text, std::string_view name,
                             std::initializer_list<std::string_view> labels) {
  std::optional<double> sum;
  while (!text.empty()) {
    std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!line.starts_with(name)) continue;
    std::string_view rest = line.substr(name.size());
    if (rest.empty() || (rest.front() != '{' && rest.front() != ' ')) continue;
    std::size_t space = rest.rfind(' ');
    bool matches = space != std::string_view::npos;
    for (std::string_view label : labels) matches = matches && rest.find(label) < space;
    if (!matches) continue;
    std::string_view number = rest.substr(space + 1);
    double value = 0;
    auto read = std::from_chars(number.data(), number.data() + number.size(), value);
    if (read.ec == std::errc()) sum = sum.value_or(0) + value;
  }
  return sum;
}

}  // namespace

Bill estimate(const CostLoad& load) {
  auto brokers = static_cast<double>(std::max<std::uint64_t>(load.brokers, 1));
  objstore::PriceTable prices = objstore::list_prices(load.store);
  Bill bill;
  Pace pace = pace_of(windows_of(load), load.bytes_per_second / brokers, brokers);
  bool busy = load.bytes_per_second > 0;
  double creates = pace.creates * brokers;
  // Vouchers ride on the entries of a broker that writes anyway.
  if (!busy && brokers > 1) creates = brokers / kVoucherSeconds;
  double merged = load.bytes_per_second / kMergedSegmentBytes;
  bill.writes_per_second = creates * (brokers > 1 && busy ? 1 + kLostCreates : 1) +
                           pace.segments * brokers + merged + creates / 1'000;
  // Every broker reads the entries of the others, and looks before it writes.
  bill.reads_per_second = brokers > 1 ? creates * brokers : 0;
  bool waiting = load.consumers_wait && busy;
  if (brokers > 1)
    bill.reads_per_second += waiting ? brokers * kLooksPerSecond : 0;
  else
    bill.reads_per_second += waiting ? kLooksAlonePerSecond : 1 / kIdleLookSeconds;
  double from_store = load.bytes_per_second * load.reads_from_store;
  bill.reads_per_second += from_store / kColdReadBytes;
  // Records are written at once and again by a merge.
  bill.written_bytes_per_second = 2 * load.bytes_per_second * load.stored_share;
  bill.read_bytes_per_second = from_store * load.stored_share;
  bill.stored_bytes = load.bytes_per_second * load.stored_share * seconds(load.retention);
  add_prices(prices, load, bill);
  bill.zone_transfer = load.bytes_per_second * load.cross_zone_share * (1 + load.consumers) /
                       kGigabyte * kCrossZoneGigabyte * kSecondsPerMonth;
  return bill;
}

Result<CostCounters> cost_counters(std::string_view metrics) {
  constexpr std::string_view kRequests = "weir_store_requests_total";
  constexpr std::string_view kBytes = "weir_store_bytes_total";
  auto flushed = sum_of(metrics, "weir_flush_bytes_total", {});
  if (!flushed)
    return fail(ErrorCode::corrupt,
                "no weir_flush_bytes_total among the metrics; name the /metrics of a broker, as in "
                "http://HOST:9093/metrics");
  auto puts = sum_of(metrics, kRequests, {"verb=\"put"});
  if (!puts)
    return fail(ErrorCode::corrupt,
                "the broker counts no requests to a store that charges for them; it runs on a "
                "directory");
  CostCounters out;
  out.writes = *puts;
  out.lists = sum_of(metrics, kRequests, {"verb=\"list\""}).value_or(0);
  out.reads = sum_of(metrics, kRequests, {"verb=\"get"}).value_or(0) +
              sum_of(metrics, kRequests, {"verb=\"head\""}).value_or(0);
  out.written_bytes = sum_of(metrics, kBytes, {"direction=\"written\""}).value_or(0);
  out.read_bytes = sum_of(metrics, kBytes, {"direction=\"read\""}).value_or(0);
  out.flushed_bytes = *flushed;
  return out;
}

Bill bill_of(const CostCounters& before, const CostCounters& after, Duration between,
             const CostLoad& load) {
  double time = std::max(seconds(between), 1e-3);
  auto rate = [&](double first, double last) { return std::max(last - first, 0.0) / time; };
  Bill bill;
  // Listings cost as much as writes with all of them.
  bill.writes_per_second = rate(before.writes, after.writes) + rate(before.lists, after.lists);
  bill.reads_per_second = rate(before.reads, after.reads);
  bill.written_bytes_per_second = rate(before.written_bytes, after.written_bytes);
  bill.read_bytes_per_second = rate(before.read_bytes, after.read_bytes);
  double flushed = rate(before.flushed_bytes, after.flushed_bytes);
  bill.stored_bytes = flushed * load.stored_share * seconds(load.retention);
  add_prices(objstore::list_prices(load.store), load, bill);
  bill.zone_transfer = flushed * load.cross_zone_share * (1 + load.consumers) / kGigabyte *
                       kCrossZoneGigabyte * kSecondsPerMonth;
  return bill;
}

}  // namespace weir::cli
