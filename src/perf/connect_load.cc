#include "perf/connect_load.h"

#include "perf/limits.h"
#include "rt/scope.h"

namespace weir::perf {

rt::Task<Result<std::unique_ptr<client::Connection>>> ConnectLoad::open() {
  const rt::Endpoint& to = options_.bootstrap[opened_++ % options_.bootstrap.size()];
  co_return co_await client::Connection::open(loop_, network_, to, "weir-perf",
                                              loop_.now() + options_.timeout);
}

rt::Task<Result<Outcome>> ConnectLoad::run() {
  const MonoTime begun = loop_.now();
  rt::Scope scope(loop_);
  for (std::size_t i = 0; i < kOpeningMax; ++i) scope.spawn(open_held());
  co_await scope.join();
  if (!failure_) {
    on_held_();
    if (options_.per_second > 0)
      co_await come_and_go();
    else if (options_.hold > Duration(0))
      co_await rt::sleep_for(loop_, options_.hold);
  }
  outcome_.took = loop_.now() - begun;
  for (auto& connection : held_) {
    if (connection->broken() && !failure_)
      failure_ = Error{ErrorCode::closed, "the broker closed a connection that did nothing"};
    co_await connection->close();
  }
  if (failure_) co_return std::unexpected(*failure_);
  co_return std::move(outcome_);
}

rt::Task<void> ConnectLoad::open_held() {
  while (goes_on() && claimed_ < options_.connections) {
    ++claimed_;
    const MonoTime begun = loop_.now();
    auto connection = co_await open();
    if (!connection) {
      if (!failure_) failure_ = connection.error();
      break;
    }
    if (options_.per_second == 0) outcome_.latency.record(loop_.now() - begun);
    held_.push_back(std::move(*connection));
    ++outcome_.records;
  }
}

rt::Task<void> ConnectLoad::come_and_go() {
  const MonoTime begun = loop_.now();
  const Schedule schedule(begun, options_.per_second);
  rt::Scope scope(loop_);
  for (std::uint64_t number = 0; goes_on(); ++number) {
    const MonoTime due = schedule.due(number);
    if (due - begun >= options_.hold) break;
    if (due > loop_.now()) co_await rt::sleep_until(loop_, due);
    if (visiting_ >= kConnectsMax) {
      failure_ = Error{ErrorCode::too_large, "the broker does not answer as many connections"};
      break;
    }
    ++visiting_;
    scope.spawn(visit(due));
  }
  co_await scope.join();
}

rt::Task<void> ConnectLoad::visit(MonoTime due) {
  auto connection = co_await open();
  if (connection) {
    outcome_.latency.record(loop_.now() - due);
    ++outcome_.records;
    co_await (*connection)->close();
  } else if (!failure_) {
    failure_ = connection.error();
  }
  --visiting_;
}

}  // namespace weir::perf
