// Refreshed<Value>: a credential or token that expires, always good when asked for.
//
// The first call waits for the source. Later ones are answered from memory; the first of them in
// the last minutes before expiry starts a renewal beside it and does not wait. A renewal that fails
// keeps the old value until it expires, says so in the log, and is tried again after a pause that
// grows to a minute. How long a value is good is measured on the monotonic clock from its arrival,
// so a jump of the wall clock changes nothing; one that arrives already expired (by a wrong clock,
// or a source in trouble) is used for some minutes, for the service has the last word.
//
// Used on one loop. `stop` before it ends.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>

#include "base/log.h"
#include "base/narrow.h"
#include "base/result.h"
#include "base/time.h"
#include "rt/event.h"
#include "rt/loop.h"
#include "rt/random.h"
#include "rt/scope.h"
#include "rt/task.h"

namespace weir::objstore {

/// Where a Value comes from, each time anew. Value has `std::optional<WallMillis> expires_at`.
template <class Value>
class RefreshSource {
 public:
  virtual ~RefreshSource() = default;
  /// Errors: not_found (this source is not set up here), configuration (it is, wrongly),
  /// unavailable.
  virtual rt::Task<Result<Value>> fetch() = 0;
  /// Without secrets.
  virtual std::string describe() const = 0;
};

struct RefreshLaw {
  /// Renewed this long before expiry plus a random part of it, but not in the first half of a life.
  Duration ahead = 5min;
  Duration retry_first = 1s;
  Duration retry_max = 60s;
  /// After a refusal, values are fetched anew at most this often.
  Duration refused_pause = 10s;
  Duration expired_anyway = 5min;
};

template <class Value>
class Refreshed {
 public:
  struct Parts {
    rt::Loop& loop;
    rt::Random& random;
    Logger& logger;
  };
  Refreshed(Parts parts, std::unique_ptr<RefreshSource<Value>> source, RefreshLaw law = {})
      : parts_(parts),
        source_(std::move(source)),
        law_(law),
        changed_(parts.loop),
        scope_(parts.loop) {}

  rt::Task<Result<Value>> get(MonoTime deadline) {
    for (;;) {
      MonoTime now = parts_.loop.now();
      bool good = value_ && now < good_until_;
      bool want = !good || suspect_ || now >= renew_at_;
      if (want && !fetching_ && !stopping_ && now >= retry_at_) {
        fetching_ = true;
        scope_.spawn(fetch());
        continue;
      }
      if (good && !(suspect_ && fetching_)) co_return *value_;
      if (!fetching_)
        co_return std::unexpected(problem_.value_or(
            Error{ErrorCode::unavailable, source_->describe() + ": being stopped"}));
      if (now >= deadline)
        co_return fail(ErrorCode::unavailable, source_->describe() + ": no answer in time");
      co_await changed_.wait_until(deadline);
    }
  }

  /// `used` was not accepted. It is fetched anew unless that has happened meanwhile.
  void refused(const Value& used) {
    MonoTime now = parts_.loop.now();
    if (!value_ || *value_ != used || now < arrived_at_ + law_.refused_pause) return;
    suspect_ = true;
    retry_at_ = std::min(retry_at_, now);
  }

  rt::Task<void> stop() {
    stopping_ = true;
    co_await scope_.join();
  }
  std::string describe() const { return source_->describe(); }

 private:
  rt::Task<void> fetch() {
    Result<Value> fetched = co_await source_->fetch();
    co_await rt::resume_on(parts_.loop);
    fetching_ = false;
    suspect_ = false;
    fetched ? accept(std::move(*fetched)) : keep_old(std::move(fetched).error());
    changed_.notify_all();
  }

  void accept(Value value) {
    MonoTime now = parts_.loop.now();
    Duration life = 24h * 365;
    if (value.expires_at) {
      // A service's word, so it may be anything.
      std::int64_t left = std::clamp<std::int64_t>(
          value.expires_at->value / 1'000 - parts_.loop.wall_now().value / 1'000, -1, 86'400 * 365);
      life = left > 0 ? left * 1s : law_.expired_anyway;
      if (left <= 0)
        parts_.logger.warn(
            "credentials_expired_on_arrival",
            {{"source", source_->describe()}, {"advice", "check this machine's clock"}});
    }
    if (problem_ && value_)
      parts_.logger.info("credentials_renewed", {{"source", source_->describe()}});
    value_ = std::move(value);
    problem_.reset();
    arrived_at_ = now;
    good_until_ = now + life;
    renew_at_ = good_until_ - std::min(life / 2, law_.ahead + random_part(law_.ahead));
    retry_pause_ = law_.retry_first;
    retry_at_ = now;
  }

  void keep_old(Error error) {
    MonoTime now = parts_.loop.now();
    if (!error.is(ErrorCode::configuration) && !error.is(ErrorCode::not_found))
      error.code = ErrorCode::unavailable;  // Whatever it was: no request has been sent.
    if (error.is(ErrorCode::not_found)) error.code = ErrorCode::configuration;
    if (value_ && now < good_until_)
      parts_.logger.warn("credentials_not_renewed", {{"source", source_->describe()},
                                                     {"error", weir::describe(error)},
                                                     {"good_for_s", (good_until_ - now) / 1s}});
    problem_ = std::move(error);
    retry_at_ = now + retry_pause_ / 2 + random_part(retry_pause_ / 2);
    retry_pause_ = std::min(retry_pause_ * 2, law_.retry_max);
  }

  Duration random_part(Duration whole) {
    std::uint64_t bound = narrow<std::uint64_t>(whole.count()) + 1;
    return Duration(narrow<std::int64_t>(parts_.random.below(bound)));
  }

  Parts parts_;
  std::unique_ptr<RefreshSource<Value>> source_;
  RefreshLaw law_;
  rt::Event changed_;
  rt::Scope scope_;
  std::optional<Value> value_;
  std::optional<Error> problem_;
  bool fetching_ = false;
  bool suspect_ = false;
  bool stopping_ = false;
  MonoTime arrived_at_;
  MonoTime good_until_;
  MonoTime renew_at_;
  MonoTime retry_at_ = MonoTime::min();
  Duration retry_pause_ = law_.retry_first;
};

}  // namespace weir::objstore
