#include "engine/fetcher.h"

#include <algorithm>

#include "engine/limits.h"

namespace weir::engine {

namespace {

Offset limit_of(const state::PartitionInfo& info, Isolation isolation) {
  return isolation == Isolation::read_committed ? info.last_stable : info.end;
}

}  // namespace

Fetcher::Fetcher(rt::Loop& loop, Follower& follower, Reader& reader, Metrics& metrics)
    : loop_(loop),
      follower_(follower),
      reader_(reader),
      read_ahead_(loop),
      wakes_(metrics.counter("weir_fetch_wakes_total", "Parked fetches that a fold has woken")) {}

Refusal Fetcher::refusal_of(const FetchItem& item) const {
  auto info = follower_.state().partition(item.at);
  if (!info)
    return follower_.state().topic(item.at.topic) ? Refusal::unknown_partition
                                                  : Refusal::unknown_topic;
  if (item.offset < info->start || item.offset > info->end) return Refusal::offset_out_of_range;
  return Refusal::none;
}

void Fetcher::look_at(Call& call, std::uint32_t index) const {
  const FetchItem& item = call.items[index];
  call.available_sum -= call.available[index];
  call.bad_count -= call.bad[index];
  call.available[index] = 0;
  call.bad[index] = refusal_of(item) == Refusal::none ? 0 : 1;
  call.bad_count += call.bad[index];
  if (call.bad[index]) return;
  auto info = follower_.state().partition(item.at);
  Offset limit = limit_of(*info, call.options.isolation);
  std::uint64_t bytes = 0;
  follower_.state().visit_spans(item.at, item.offset, [&](const state::SpanInfo& span) {
    if (span.base >= limit) return false;
    bytes += span.bytes;
    return bytes < item.bytes_max && bytes < call.options.bytes_min;
  });
  // A span counts whole although the fetch may start inside it: at worst an answer is somewhat
  // smaller than asked.
  call.available[index] =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes, std::max(item.bytes_max, 1u)));
  call.available_sum += call.available[index];
}

void Fetcher::look_at_all(Call& call) const {
  for (std::uint32_t i = 0; i < call.items.size(); ++i) look_at(call, i);
}

rt::Task<std::vector<FetchedPartition>> Fetcher::fetch(std::vector<FetchItem> items,
                                                       FetchOptions options,
                                                       const bool* cancelled) {
  Call call(loop_, std::move(items), options);
  look_at_all(call);
  std::optional<Error> barrier_failure;
  if (call.bad_count > 0) {
    // At least a moment, so that max_wait 0 can still be told the truth.
    MonoTime deadline = std::max(options.deadline, loop_.now() + 5s);
    auto proved = co_await follower_.barrier(deadline);
    if (!proved) barrier_failure = proved.error();
    look_at_all(call);
  }
  bool may_park = parked_ < kParkedFetchesMax && !barrier_failure;
  if (may_park && call.bad_count == 0 && call.available_sum < options.bytes_min &&
      loop_.now() < options.deadline)
    co_await wait(call, cancelled);
  // A partition may have turned bad while it was parked (its topic deleted, its start moved): that
  // came from the fold.
  co_return co_await answer(call, std::move(barrier_failure));
}

rt::Task<void> Fetcher::wait(Call& call, const bool* cancelled) {
  park(call);
  while (call.bad_count == 0 && call.available_sum < call.options.bytes_min) {
    if (cancelled && *cancelled) break;
    if (!co_await call.wake.wait_until(call.options.deadline)) break;
    if (call.look_at_all) {
      call.look_at_all = false;
      call.changed.clear();
      look_at_all(call);
    }
    for (std::uint32_t index : call.changed) look_at(call, index);
    call.changed.clear();
  }
  unpark(call);
}

void Fetcher::park(Call& call) {
  ++parked_;
  calls_.push_back(&call);
  for (std::uint32_t i = 0; i < call.items.size(); ++i)
    waiters_[call.items[i].at].push_back({&call, i});
}

void Fetcher::unpark(Call& call) {
  --parked_;
  std::erase(calls_, &call);
  for (const FetchItem& item : call.items) {
    auto found = waiters_.find(item.at);
    if (found == waiters_.end()) continue;
    std::erase_if(found->second, [&](const Waiter& w) { return w.call == &call; });
    if (found->second.empty()) waiters_.erase(found);
  }
}

void Fetcher::on_changed(const std::vector<PartitionRef>& changed) {
  if (parked_ == 0) return;
  for (const PartitionRef& at : changed) {
    auto found = waiters_.find(at);
    if (found == waiters_.end()) continue;
    for (const Waiter& waiter : found->second) {
      waiter.call->changed.push_back(waiter.index);
      if (waiter.call->wake.has_waiters()) wakes_.add();
      waiter.call->wake.notify_all();
    }
  }
}

void Fetcher::wake_all() {
  for (Call* call : calls_) {
    call->look_at_all = true;
    call->wake.notify_all();
  }
}

std::vector<Reader::Range> Fetcher::ranges_of(const Call& call) const {
  std::vector<Reader::Range> ranges;
  std::size_t room = call.options.bytes_max;
  for (std::size_t i = 0; i < call.items.size() && room > 0; ++i) {
    if (call.available[i] == 0 || call.bad[i]) continue;
    const FetchItem& item = call.items[i];
    auto info = follower_.state().partition(item.at);
    if (!info) continue;
    std::size_t bytes = std::min<std::size_t>(item.bytes_max, room);
    ranges.push_back({item.at, item.offset, limit_of(*info, call.options.isolation), bytes, true});
    room -= bytes;
  }
  return ranges;
}

rt::Task<std::vector<FetchedPartition>> Fetcher::answer(Call& call,
                                                        std::optional<Error> barrier_failure) {
  co_await reader_.warm(ranges_of(call));
  std::vector<FetchedPartition> out(call.items.size());
  std::size_t room = call.options.bytes_max;
  bool first = true;
  for (std::size_t i = 0; i < call.items.size(); ++i) {
    const FetchItem& item = call.items[i];
    FetchedPartition& answer = out[i];
    answer.refusal = refusal_of(item);
    auto info = follower_.state().partition(item.at);
    if (info) answer.info = *info;
    if (answer.refusal != Refusal::none) {
      // What could not be proved is not said.
      if (barrier_failure) answer.failure = *barrier_failure;
      continue;
    }
    Offset limit = limit_of(*info, call.options.isolation);
    if (item.offset >= limit || (room == 0 && !first)) continue;
    Reader::Range range{item.at, item.offset, limit, std::min<std::size_t>(item.bytes_max, room),
                        first};
    auto records = co_await reader_.read(range);
    if (!records) {
      // Reading may have folded what makes the request void: a new start, a deleted topic.
      answer.refusal = refusal_of(item);
      if (auto now = follower_.state().partition(item.at)) answer.info = *now;
      if (answer.refusal == Refusal::none) answer.failure = records.error();
      continue;
    }
    answer.records = std::move(*records);
    room -= std::min(room, answer.records.size());
    if (!answer.records.empty()) first = false;
  }
  read_ahead(call, out);
  co_return out;
}

void Fetcher::read_ahead(const Call& call, const std::vector<FetchedPartition>& answers) {
  if (stopping_) return;
  std::vector<Reader::Range> ranges;
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const FetchItem& item = call.items[i];
    // Who is given less than half of what was asked for has caught up.
    if (answers[i].records.size() < item.bytes_max / 2 || answers[i].records.empty()) continue;
    std::size_t next = answers[i].records.size();
    if (read_ahead_bytes_ + bytes + next > kReadAheadBytesMax) break;
    bytes += next;
    // What was just read is in memory, so loading from the same offset loads what follows it.
    ranges.push_back(
        {item.at, item.offset, limit_of(answers[i].info, call.options.isolation), 2 * next, true});
  }
  if (ranges.empty()) return;
  read_ahead_bytes_ += bytes;
  read_ahead_.spawn(load_ahead(std::move(ranges), bytes));
}

rt::Task<void> Fetcher::stop() {
  stopping_ = true;
  co_await read_ahead_.join();  // Loads have the store's deadlines.
}

rt::Task<void> Fetcher::load_ahead(std::vector<Reader::Range> ranges, std::size_t bytes) {
  co_await reader_.warm(std::move(ranges));
  read_ahead_bytes_ -= bytes;
}

}  // namespace weir::engine
