#include "engine/sequences.h"

#include <algorithm>

#include "engine/limits.h"

namespace weir::engine {

state::ProducerRun run_of(const record::BatchInfo& info) {
  return {info.producer, info.epoch, info.base_sequence};
}

Sequences::Sequences(rt::Loop& loop, Follower& follower, Batcher& batcher, Metrics& metrics)
    : loop_(loop),
      follower_(follower),
      batcher_(batcher),
      changed_(loop),
      scope_(loop),
      waited_(metrics.counter("weir_produce_ahead_total",
                              "Batches that waited for an earlier sequence")) {}

bool Sequences::settle(QueuedBatch& batch) {
  if (!batch.item.info.idempotent()) {
    batcher_.add(std::move(batch));
    return true;
  }
  const record::BatchInfo& info = batch.item.info;
  state::ItemOutcome now = follower_.state().check_run(batch.item.at, run_of(info), info.records);
  switch (now.refusal) {
    case Refusal::none: batcher_.add(std::move(batch)); return true;
    case Refusal::duplicate:
    case Refusal::duplicate_forgotten: {
      ProduceOutcome done;
      done.base_offset = now.refusal == Refusal::duplicate ? Offset(now.value) : Offset(-1);
      batch.finish(std::move(done));
      return true;
    }
    case Refusal::out_of_order_sequence: return false;
    // Of a new producer the first batch may still be on its way.
    case Refusal::unknown_producer:
      if (info.base_sequence > 0) return false;
      refuse_after_barrier(std::move(batch));
      return true;
    default: refuse_after_barrier(std::move(batch)); return true;
  }
}

void Sequences::examine(QueuedBatch batch, Refusal refusal) {
  if (refusal == Refusal::unknown_topic || refusal == Refusal::unknown_partition ||
      refusal == Refusal::malformed) {
    // The fold itself has said so: that is the newest state there is.
    batch.refuse(refusal);
    return;
  }
  if (settle(batch)) return;
  if (stopping_ || waiting_ >= kAheadBatchesMax) {
    refuse_after_barrier(std::move(batch));
    return;
  }
  waited_.add();
  ++waiting_;
  // Half of the time that is left, so that a refusal, which needs a barrier, is said in time: a
  // client that is told only of a time-out repeats the same batch.
  Duration left = std::max(batch.call->deadline - loop_.now(), Duration(0));
  MonoTime give_up = loop_.now() + std::min(left / 2, kAheadWaitMax);
  PartitionRef at = batch.item.at;
  ahead_[at].push_back({std::move(batch), give_up});
  changed_.notify_all();
}

void Sequences::look_again(std::vector<Ahead>& waiting) {
  std::size_t before = waiting.size();
  std::erase_if(waiting, [this](Ahead& ahead) { return settle(ahead.batch); });
  waiting_ -= before - waiting.size();
}

void Sequences::on_changed(const std::vector<PartitionRef>& changed) {
  if (ahead_.empty()) return;
  for (const PartitionRef& at : changed) {
    auto found = ahead_.find(at);
    if (found == ahead_.end()) continue;
    look_again(found->second);
    if (found->second.empty()) ahead_.erase(found);
  }
}

void Sequences::on_all_changed() {
  for (auto& item : ahead_) look_again(item.second);
  std::erase_if(ahead_, [](const auto& item) { return item.second.empty(); });
}

rt::Task<void> Sequences::run() {
  while (!stopping_) {
    if (ahead_.empty()) {
      co_await changed_.wait();  // Notified by `examine` and `stop`.
      continue;
    }
    MonoTime now = loop_.now();
    for (auto& [at, waiting] : ahead_) {
      for (Ahead& ahead : waiting)
        if (ahead.give_up <= now) refuse_after_barrier(std::move(ahead.batch));
      std::size_t before = waiting.size();
      std::erase_if(waiting, [now](const Ahead& ahead) { return ahead.give_up <= now; });
      waiting_ -= before - waiting.size();
    }
    std::erase_if(ahead_, [](const auto& item) { return item.second.empty(); });
    co_await changed_.wait_until(now + 50ms);
  }
  for (auto& item : ahead_)
    for (Ahead& ahead : item.second)
      ahead.batch.fail({ErrorCode::cancelled, "the broker is stopping"});
  ahead_.clear();
  co_await scope_.join();
}

void Sequences::refuse_after_barrier(QueuedBatch batch) { scope_.spawn(refuse(std::move(batch))); }

rt::Task<void> Sequences::refuse(QueuedBatch batch) {
  auto proved = co_await follower_.barrier(std::max(batch.call->deadline, loop_.now() + 1s));
  if (!proved) {
    batch.fail(proved.error());
    co_return;
  }
  const record::BatchInfo& info = batch.item.info;
  std::optional<state::PartitionInfo> at = follower_.state().partition(batch.item.at);
  if (!at) {
    batch.refuse(Refusal::unknown_partition);
    co_return;
  }
  state::ItemOutcome now = follower_.state().check_run(batch.item.at, run_of(info), info.records);
  if (now.refusal == Refusal::none && !stopping_) {
    batcher_.add(std::move(batch));
    co_return;
  }
  ProduceOutcome outcome;
  outcome.log_start = at->start;
  if (now.refusal == Refusal::duplicate) {
    outcome.base_offset = Offset(now.value);
  } else if (now.refusal != Refusal::duplicate_forgotten) {
    outcome.refusal = now.refusal == Refusal::none ? Refusal::out_of_order_sequence : now.refusal;
  }
  batch.finish(std::move(outcome));
}

void Sequences::stop() {
  stopping_ = true;
  changed_.notify_all();
}

}  // namespace weir::engine
