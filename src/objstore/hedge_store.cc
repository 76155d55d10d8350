#include "objstore/hedge_store.h"

#include <algorithm>
#include <array>

#include "base/narrow.h"
#include "objstore/decorator_impl.h"

namespace weir::objstore {
namespace {

Counter& counter_of(const HedgeStore::Parts& parts, std::string_view name, std::string_view help) {
  return parts.metrics.counter(name, help, "store=\"" + parts.label + "\"");
}

/// What the request moves, as far as it is known.
std::uint64_t bytes_of(const Request& request) {
  return is_put(request.verb) ? request.body.size() : request.length;
}

Duration attempt_time(const Request& request) {
  std::uint64_t bytes = request.verb == Verb::get ? kAttemptGetBytesAssumed : bytes_of(request);
  bytes = std::min<std::uint64_t>(bytes, kObjectBytesMax);
  Duration base = is_conditional(request.verb)                          ? kAttemptCreateMax
                  : request.verb <= Verb::head && !is_put(request.verb) ? kAttemptReadMax
                                                                        : kAttemptOtherMax;
  return base +
         Duration(narrow<std::int64_t>(bytes * 1'000 / kAttemptBytesPerSecondMin * 1'000'000));
}

/// The condition of the request did not hold, which may be our other attempt's doing.
bool lost_condition(const Error& error) {
  return error.is(ErrorCode::already_exists) || error.is(ErrorCode::precondition);
}

}  // namespace

/// The attempts of one request. Shared by who waits and by the attempts, since those that lose
/// outlive the wait.
template <class T>
struct HedgeStore::Race {
  explicit Race(rt::Loop& loop) : changed(loop) {}

  std::size_t running() const { return sent - answered; }
  /// The answer as soon as nothing that may still come could improve it. With `last`, nothing more
  /// is waited for.
  std::optional<Result<T>> verdict(Verb verb, bool last) const;

  rt::Event changed;
  std::array<std::optional<Result<T>>, 2> answers;
  std::size_t sent = 0;
  std::size_t answered = 0;
  std::optional<std::size_t> winner;
  bool abandoned = false;
};

template <class T>
std::optional<Result<T>> HedgeStore::Race<T>::verdict(Verb verb, bool last) const {
  const Error* failed = nullptr;
  const Error* lost = nullptr;
  bool unclear = running() > 0;
  for (const std::optional<Result<T>>& answer : answers) {
    if (!answer) continue;
    if (*answer) return *answer;
    const Error& error = answer->error();
    if (is_conditional(verb) && lost_condition(error)) {
      lost = &error;
    } else if (!certainly_not_applied(error) && !outcome_unclear(error)) {
      return *answer;  // About the object: not_found, corrupt.
    } else {
      unclear = unclear || outcome_unclear(error);
      if (!failed || outcome_unclear(error)) failed = &error;
    }
  }
  if (lost && unclear)
    return fail(ErrorCode::unknown_outcome,
                lost->message + " (perhaps by our own other attempt, which has no clear answer)");
  if (lost) return std::unexpected(*lost);
  if (running() == 0 && failed) return std::unexpected(*failed);
  if (last) return fail(ErrorCode::timed_out, "no answer in time");
  return std::nullopt;
}

HedgeStore::HedgeStore(ObjectStore& inner, Parts parts)
    : Decorator(inner),
      parts_(std::move(parts)),
      attempts_(parts_.loop),
      hedges_(counter_of(parts_, "weir_store_hedges_total",
                         "Requests sent a second time because they were slow.")),
      hedges_won_(counter_of(parts_, "weir_store_hedges_won_total",
                             "Second attempts that answered first.")),
      expired_(counter_of(parts_, "weir_store_attempts_expired_total",
                          "Attempts that were not answered by their deadline.")) {}

bool HedgeStore::may_hedge(Verb verb) const {
  bool repeatable = verb == Verb::put || verb == Verb::put_if_absent || verb == Verb::get ||
                    verb == Verb::get_range;
  return repeatable && parts_.hedge && !parts_.gate.rate() && stragglers_ < kStragglersMax;
}

template <class T>
rt::Task<void> HedgeStore::attempt(std::shared_ptr<Race<T>> race, Request request) {
  std::size_t number = race->sent++;
  Verb verb = request.verb;
  std::uint64_t bytes = bytes_of(request);
  MonoTime begin = parts_.loop.now();
  Result<T> answer = co_await send<T>(inner(), std::move(request));
  co_await rt::resume_on(parts_.loop);
  if (answer) parts_.latencies.observe(verb, bytes, parts_.loop.now() - begin);
  if (race->abandoned) --stragglers_;
  if (answer && !race->winner) race->winner = number;
  race->answers[number].emplace(std::move(answer));
  ++race->answered;
  race->changed.notify_all();
}

template <class T>
void HedgeStore::start(const std::shared_ptr<Race<T>>& race, Request request) {
  attempts_.spawn(attempt<T>(race, std::move(request)));
}

template <class T>
rt::Task<Result<T>> HedgeStore::around(Request request) {
  auto race = std::make_shared<Race<T>>(parts_.loop);
  Verb verb = request.verb;
  MonoTime begin = parts_.loop.now();
  MonoTime deadline = begin + attempt_time(request);
  std::optional<Duration> usual = parts_.latencies.p95(verb, bytes_of(request));
  if (!may_hedge(verb)) usual.reset();
  budget_.earn();
  start<T>(race, request);
  std::optional<Result<T>> verdict = race->verdict(verb, false);
  if (!verdict && usual) {
    co_await race->changed.wait_until(begin + std::max(*usual, kHedgeAfterMin));
    verdict = race->verdict(verb, false);
    if (!verdict && may_hedge(verb) && budget_.spend()) {
      hedges_.add();
      start<T>(race, std::move(request));
    }
  }
  while (!(verdict = race->verdict(verb, false))) {
    if (parts_.loop.now() < deadline) {
      co_await race->changed.wait_until(deadline);
    } else if (stragglers_ >= kStragglersMax) {
      co_await race->changed.wait();  // The driver's own time-out ends it.
    } else {
      expired_.add();
      verdict = race->verdict(verb, true);
      break;
    }
  }
  if (race->winner == 1) hedges_won_.add();
  race->abandoned = true;
  stragglers_ += race->running();
  co_return std::move(*verdict);
}

template class Decorator<HedgeStore>;

}  // namespace weir::objstore
