#include "engine/request_pacer.h"

#include <algorithm>
#include <cmath>

namespace weir::engine {

namespace {

/// Over how long the load is averaged.
constexpr double kLoadSeconds = 2.0;
/// More requests for each byte a second, so that a loaded broker is fast.
constexpr double kRequestsPerByte = 0.5 / 1e6;
/// Of the budget; the rest is for reads, merges, snapshots and truncation.
constexpr double kShareOfWrites = 0.8;
/// What may be saved up, and how far the bounds of callers may overdraw.
constexpr double kTokensMax = 3;
constexpr double kTokensMin = -3;

double seconds(Duration d) { return static_cast<double>(d.count()) / 1e9; }

}  // namespace

RequestPacer::RequestPacer(const rt::Clock& clock, const RequestBudget& budget)
    : clock_(clock), budget_(budget), at_(clock.now()), tokens_(kTokensMax) {}

double RequestPacer::rate() const {
  double share = budget_.requests_per_second * kShareOfWrites / static_cast<double>(brokers_);
  return share + bytes_per_second_ * kRequestsPerByte;
}

void RequestPacer::advance() {
  MonoTime now = clock_.now();
  double passed = seconds(now - at_);
  if (passed <= 0) return;
  at_ = now;
  tokens_ = std::min(kTokensMax, tokens_ + passed * rate());
  bytes_per_second_ *= std::exp(-passed / kLoadSeconds);
}

void RequestPacer::note_load(std::uint64_t bytes) {
  if (!active()) return;
  advance();
  bytes_per_second_ += static_cast<double>(bytes) / kLoadSeconds;
}

void RequestPacer::spend(double requests) {
  if (!active()) return;
  advance();
  tokens_ = std::max(kTokensMin, tokens_ - requests);
}

MonoTime RequestPacer::when(double requests) {
  if (!active()) return clock_.now();
  advance();
  if (tokens_ >= requests) return at_;
  double wait = (requests - tokens_) / rate();
  return at_ + Duration(static_cast<std::int64_t>(std::min(wait, 3600.0) * 1e9));
}

Duration RequestPacer::commit_gap_max() const {
  return budget_.commit_gap_max * static_cast<std::int64_t>(brokers_);
}

}  // namespace weir::engine
