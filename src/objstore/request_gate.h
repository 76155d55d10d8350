// RequestGate: how many requests a process has in flight, class by class, and how fast it sends
// them when the store asks for less.
//
// Each class has its own slots and its own queue in order of arrival, so a replay of old data
// cannot hold up a commit. Queues are bounded in length and in time; who is turned away learns
// that nothing was applied.
//
// When the store answers 503 or 429, all classes together go down to a fraction of the rate of the
// last second, drawn at random so that the brokers of a cluster do not move in step. From then on
// the rate grows by a tenth a second, until a minute without a complaint lifts it. While a rate
// holds, turns are given by weight: a commit comes before sixteen maintenance requests, but
// maintenance is never starved.
//
// Used on one loop. No call of `enter` and no Ticket may be left when it dies.
#pragma once

#include <array>
#include <list>
#include <optional>
#include <string_view>
#include <utility>

#include "base/metrics.h"
#include "base/result.h"
#include "objstore/limits.h"
#include "objstore/pressure.h"
#include "rt/event.h"
#include "rt/loop.h"
#include "rt/random.h"
#include "rt/task.h"

namespace weir::objstore {

enum class RequestClass : unsigned char { commit, produce, tail_read, cold_read, maintenance };
inline constexpr std::size_t kRequestClasses = 5;
std::string_view to_string(RequestClass c);
constexpr std::size_t index_of(RequestClass c) { return static_cast<std::size_t>(c); }

struct GateLimits {
  /// Requests in flight, by class in the order of RequestClass.
  std::array<std::size_t, kRequestClasses> in_flight_max{16, 64, 64, 16, 16};
};

class RequestGate final : public PressureSignal {
 public:
  struct Parts {
    rt::Loop& loop;
    rt::Random& random;
    Metrics& metrics;
    std::string label;
  };
  explicit RequestGate(Parts parts, GateLimits limits = {});
  ~RequestGate() override;

  /// The right to have one request in flight; given back when it dies.
  class Ticket {
   public:
    Ticket(RequestGate& gate, RequestClass c) : gate_(&gate), class_(c) {}
    Ticket(Ticket&& other) noexcept
        : gate_(std::exchange(other.gate_, nullptr)), class_(other.class_) {}
    Ticket& operator=(Ticket&&) = delete;
    ~Ticket() {
      if (gate_) gate_->leave(class_);
    }

   private:
    RequestGate* gate_;
    RequestClass class_;
  };
  /// Error unavailable when the queue is full or the turn has not come after kGateWaitMax.
  rt::Task<Result<Ticket>> enter(RequestClass c);

  void throttled(std::optional<Duration> retry_after) override;
  /// Requests a second, while the store's complaint is remembered.
  std::optional<double> rate() const { return rate_; }
  std::size_t in_flight(RequestClass c) const { return lines_[index_of(c)].in_flight; }
  std::size_t waiting(RequestClass c) const { return lines_[index_of(c)].waiting.size(); }

 private:
  struct Waiter {
    explicit Waiter(rt::Loop& loop) : changed(loop) {}
    rt::Event changed;
    bool granted = false;
  };
  struct Line {
    std::list<Waiter*> waiting;
    std::size_t in_flight = 0;
    std::int64_t credit = 0;
    Gauge* in_flight_gauge = nullptr;
    Counter* turned_away = nullptr;
  };
  void leave(RequestClass c);
  void grant();
  Line* next_line();
  void refill();
  void count_sent(Line& line);
  double recent_rate();
  std::optional<MonoTime> next_token() const;
  std::unexpected<Error> turn_away(RequestClass c, std::string why);

  Parts parts_;
  GateLimits limits_;
  std::array<Line, kRequestClasses> lines_;
  Counter& throttles_;
  Gauge& rate_gauge_;

  std::optional<double> rate_;
  double tokens_ = 0;
  MonoTime refilled_;
  MonoTime cut_at_;
  MonoTime complained_at_;
  MonoTime paused_until_;
  /// Requests of this second and of the one before, for the rate to start from.
  MonoTime second_;
  double sent_now_ = 0;
  double sent_before_ = 0;
};

}  // namespace weir::objstore
