#include "objstore/request_gate.h"

#include <algorithm>
#include <cmath>

namespace weir::objstore {
namespace {

/// Turns while a rate holds, in the order of RequestClass.
constexpr std::array<std::int64_t, kRequestClasses> kWeights = {16, 8, 4, 2, 1};
constexpr double kGrowthPerSecond = 0.1;
/// What remains of a rate after a complaint: between these two.
constexpr double kCutLeast = 0.5;
constexpr double kCutMost = 0.75;

double seconds(Duration d) { return std::chrono::duration<double>(d).count(); }
Duration from_seconds(double s) { return Duration(static_cast<std::int64_t>(std::ceil(s * 1e9))); }

}  // namespace

std::string_view to_string(RequestClass c) {
  static constexpr std::array<std::string_view, kRequestClasses> kNames = {
      "commit", "produce", "tail_read", "cold_read", "maintenance"};
  return kNames[index_of(c)];
}

RequestGate::RequestGate(Parts parts, GateLimits limits)
    : parts_(std::move(parts)),
      limits_(limits),
      throttles_(parts_.metrics.counter("weir_store_throttles_total",
                                        "Answers of a store that asked for fewer requests.",
                                        "store=\"" + parts_.label + "\"")),
      rate_gauge_(parts_.metrics.gauge("weir_store_rate_limit",
                                       "Requests a second to a throttled store; 0 is no limit.",
                                       "store=\"" + parts_.label + "\"")),
      second_(parts_.loop.now()) {
  for (std::size_t i = 0; i < kRequestClasses; ++i) {
    ENSURE(limits_.in_flight_max[i] > 0);
    std::string labels = "store=\"" + parts_.label + "\",class=\"" +
                         std::string(to_string(static_cast<RequestClass>(i))) + "\"";
    lines_[i].in_flight_gauge = &parts_.metrics.gauge(
        "weir_store_requests_in_flight", "Requests to a store that are not answered.", labels);
    lines_[i].turned_away =
        &parts_.metrics.counter("weir_store_requests_turned_away_total",
                                "Requests that never reached a store, for want of room.", labels);
  }
}

RequestGate::~RequestGate() {
  for (const Line& line : lines_) {
    ENSURE(line.waiting.empty());
    ENSURE(line.in_flight == 0);
  }
}

std::unexpected<Error> RequestGate::turn_away(RequestClass c, std::string why) {
  Line& line = lines_[index_of(c)];
  line.turned_away->add();
  std::string state = std::to_string(line.in_flight) + " in flight, " +
                      std::to_string(line.waiting.size()) + " waiting";
  if (rate_)
    state += ", the store has asked for fewer requests: " +
             std::to_string(static_cast<std::int64_t>(*rate_)) + "/s";
  return fail(ErrorCode::unavailable, why + " (" + std::string(to_string(c)) + ": " + state + ")");
}

rt::Task<Result<RequestGate::Ticket>> RequestGate::enter(RequestClass c) {
  Line& line = lines_[index_of(c)];
  if (line.waiting.size() >= kGateWaitersMax)
    co_return turn_away(c, "too many requests wait for the store");
  Waiter self(parts_.loop);
  auto place = line.waiting.insert(line.waiting.end(), &self);
  MonoTime deadline = parts_.loop.now() + kGateWaitMax;
  grant();
  while (!self.granted && parts_.loop.now() < deadline) {
    // The first of each class watches for the next token; the others are told.
    MonoTime wake = deadline;
    if (line.waiting.front() == &self) wake = std::min(wake, next_token().value_or(wake));
    if (!co_await self.changed.wait_until(wake)) grant();
  }
  if (self.granted) co_return Ticket(*this, c);
  line.waiting.erase(place);
  if (!line.waiting.empty()) line.waiting.front()->changed.notify_all();
  co_return turn_away(c, "no room for a request in " + std::to_string(kGateWaitMax / 1s) + " s");
}

void RequestGate::leave(RequestClass c) {
  Line& line = lines_[index_of(c)];
  line.in_flight_gauge->set(static_cast<std::int64_t>(--line.in_flight));
  grant();
}

/// The class whose turn it is among those that have somebody waiting and a free slot.
RequestGate::Line* RequestGate::next_line() {
  Line* best = nullptr;
  std::int64_t total = 0;
  for (std::size_t i = 0; i < kRequestClasses; ++i) {
    Line& line = lines_[i];
    if (line.waiting.empty() || line.in_flight >= limits_.in_flight_max[i]) continue;
    line.credit += kWeights[i];
    total += kWeights[i];
    if (!best || line.credit > best->credit) best = &line;
  }
  if (best) best->credit -= total;
  return best;
}

void RequestGate::grant() {
  refill();
  for (;;) {
    if (parts_.loop.now() < paused_until_ || (rate_ && tokens_ < 1)) {
      // Who waited for a slot now waits for a token, and must set its timer.
      for (Line& waiting : lines_)
        if (!waiting.waiting.empty()) waiting.waiting.front()->changed.notify_all();
      return;
    }
    Line* line = next_line();
    if (!line) return;
    if (rate_) tokens_ -= 1;
    count_sent(*line);
    Waiter* first = line->waiting.front();
    line->waiting.pop_front();
    first->granted = true;
    first->changed.notify_all();
    if (!line->waiting.empty()) line->waiting.front()->changed.notify_all();
  }
}

void RequestGate::count_sent(Line& line) {
  line.in_flight_gauge->set(static_cast<std::int64_t>(++line.in_flight));
  recent_rate();
  sent_now_ += 1;
}

/// Of the last second, roughly.
double RequestGate::recent_rate() {
  double passed = seconds(parts_.loop.now() - second_);
  if (passed >= 1) {
    sent_before_ = passed < 2 ? sent_now_ : 0;
    sent_now_ = 0;
    second_ = parts_.loop.now();
    passed = 0;
  }
  return sent_now_ + sent_before_ * (1 - passed);
}

void RequestGate::refill() {
  if (!rate_) return;
  MonoTime now = parts_.loop.now();
  if (now - complained_at_ >= kPaceForget) {
    rate_.reset();
    rate_gauge_.set(0);
    return;
  }
  double passed = seconds(now - std::max(refilled_, std::min(paused_until_, now)));
  refilled_ = now;
  tokens_ = std::min(tokens_ + passed * *rate_, std::max(1.0, *rate_ / 10));
  *rate_ *= 1 + kGrowthPerSecond * passed;
  rate_gauge_.set(static_cast<std::int64_t>(*rate_));
}

std::optional<MonoTime> RequestGate::next_token() const {
  MonoTime now = parts_.loop.now();
  if (now < paused_until_) return paused_until_;
  if (!rate_ || tokens_ >= 1) return std::nullopt;  // A slot is missing, and its end tells us.
  return now + from_seconds((1 - tokens_) / *rate_);
}

void RequestGate::throttled(std::optional<Duration> retry_after) {
  throttles_.add();
  MonoTime now = parts_.loop.now();
  refill();
  complained_at_ = now;
  if (retry_after)
    paused_until_ = std::max(paused_until_, now + std::min(*retry_after, kPaceRetryAfterMax));
  // What was in flight together complains together; that is one complaint.
  if (rate_ && now - cut_at_ < kPaceCutPause) return;
  cut_at_ = now;
  double part =
      kCutLeast + (kCutMost - kCutLeast) * static_cast<double>(parts_.random.below(1'001)) / 1'000;
  double recent = std::max(recent_rate(), 1.0);
  rate_ = std::max(kPaceRequestsPerSecondMin, part * std::min(rate_.value_or(recent), recent));
  tokens_ = 0;
  refilled_ = now;
  rate_gauge_.set(static_cast<std::int64_t>(*rate_));
}

}  // namespace weir::objstore
