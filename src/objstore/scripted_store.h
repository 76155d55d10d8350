// For tests only: a store that treats each request as a script says.
#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "objstore/decorator_impl.h"
#include "rt/loop.h"

namespace weir::objstore {

/// What happens to one request.
struct Step {
  /// Before the inner store is asked, and after it.
  Duration before = 0ms;
  Duration after = 0ms;
  /// Answered instead of what the inner store says.
  std::optional<ErrorCode> error = std::nullopt;
  /// Whether the inner store is asked although an error is answered.
  bool apply = false;
};

class ScriptedStore final : public Decorator<ScriptedStore> {
 public:
  ScriptedStore(ObjectStore& inner, rt::Loop& loop) : Decorator(inner), loop_(loop) {}

  /// For the next requests, in the order in which they arrive; then `otherwise`.
  void script(std::deque<Step> steps) { steps_ = std::move(steps); }
  void otherwise(Step step) { otherwise_ = step; }
  const std::vector<Verb>& seen() const { return seen_; }
  std::size_t in_flight() const { return in_flight_; }
  std::size_t in_flight_max() const { return in_flight_max_; }

  template <class T>
  rt::Task<Result<T>> around(Request request) {
    Step step = otherwise_;
    if (!steps_.empty()) {
      step = steps_.front();
      steps_.pop_front();
    }
    seen_.push_back(request.verb);
    in_flight_max_ = std::max(in_flight_max_, ++in_flight_);
    if (step.before > 0ms) co_await rt::sleep_for(loop_, step.before);
    Result<T> result = fail(step.error.value_or(ErrorCode::internal), "scripted");
    if (!step.error || step.apply) {
      Result<T> inner_result = co_await send<T>(inner(), std::move(request));
      if (!step.error) result = std::move(inner_result);
    }
    if (step.after > 0ms) co_await rt::sleep_for(loop_, step.after);
    --in_flight_;
    co_return result;
  }

 private:
  rt::Loop& loop_;
  std::deque<Step> steps_;
  Step otherwise_;
  std::vector<Verb> seen_;
  std::size_t in_flight_ = 0;
  std::size_t in_flight_max_ = 0;
};

}  // namespace weir::objstore
