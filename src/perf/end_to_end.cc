#include "perf/end_to_end.h"

#include <deque>

#include "perf/limits.h"
#include "perf/stamp.h"
#include "record/reader.h"

namespace weir::perf {

EndToEnd::EndToEnd(Sides sides, const ProduceOptions& options)
    : consuming_(sides.consuming),
      options_(options),
      loop_(consuming_.cluster().loop()),
      producer_(sides.producing, options),
      begun_(loop_.now()) {
  ENSURE(options.stamps);
}

rt::Task<Result<EndToEndOutcome>> EndToEnd::run() {
  std::deque<FetchShare> shares;
  for (Share& share : consuming_.shares()) {
    shares.emplace_back(share, options_.topic);
    WEIR_CO_TRY(co_await shares.back().place(kLatest, loop_.now() + options_.timeout));
  }
  begun_ = loop_.now();
  rt::Scope scope(loop_);
  for (FetchShare& share : shares) scope.spawn(consume(share));
  scope.spawn(produce());
  co_await scope.join();
  if (failure_) co_return std::unexpected(*failure_);
  co_return std::move(outcome_);
}

rt::Task<void> EndToEnd::produce() {
  Result<Outcome> done = co_await producer_.run();
  last_sent_ = loop_.now();
  if (done)
    outcome_.produced = std::move(*done);
  else
    fail_with(done.error());
}

bool EndToEnd::goes_on() const {
  if (failure_ || consuming_.cluster().is_shut()) return false;
  return !last_sent_ || outcome_.consumed.records < outcome_.produced.records;
}

rt::Task<void> EndToEnd::consume(FetchShare& share) {
  const FetchShare::Visit visit = [this](const record::BatchView& batch, Offset from) {
    return see(batch, from);
  };
  while (goes_on()) {
    if (last_sent_ && loop_.now() > *last_sent_ + kLastRecordsMax) {
      fail_with({ErrorCode::timed_out,
                 std::to_string(outcome_.produced.records - outcome_.consumed.records) +
                     " acknowledged records did not reach a consumer"});
      break;
    }
    Result<Outcome> taken = co_await share.round(visit, loop_.now() + options_.timeout);
    if (!taken) {
      fail_with(taken.error());
      break;
    }
    // The time of a run ends with its last record, not with the polls that found nothing.
    if (taken->records != 0) taken->took = loop_.now() - begun_;
    outcome_.consumed.add(*taken);
  }
}

Result<void> EndToEnd::see(const record::BatchView& batch, Offset from) {
  const MonoTime now = loop_.now();
  auto reader = record::RecordReader::open(batch);
  if (!reader) return fail(ErrorCode::corrupt, "a batch that cannot be decoded");
  for (;;) {
    auto record = reader->next();
    if (!record) return fail(ErrorCode::corrupt, "a record that cannot be decoded");
    if (!*record) return {};
    if ((*record)->offset < from) continue;
    std::optional<MonoTime> due = stamp_of((*record)->value.value_or(Bytes()));
    if (!due) return fail(ErrorCode::corrupt, "a record of somebody else");
    outcome_.consumed.latency.record(now - *due);
  }
}

void EndToEnd::fail_with(const Error& error) {
  if (!failure_) failure_ = error;
}

}  // namespace weir::perf
