// Sequences: what becomes of idempotent batches that the fold refused.
//
// A refused run is looked at batch by batch: duplicates are answered with their original offset,
// what would be accepted now is offered again, and a batch ahead of its sequence waits for its
// predecessor, which may still be on its way at another broker (clients send new batches to a new
// leader while older ones are in flight); so does one of a producer that is not known, unless it
// begins at sequence 0. Only after that, and after a barrier, is a refusal said
// (docs/design.md, 7, promise 4).
#pragma once

#include <unordered_map>
#include <vector>

#include "engine/batcher.h"
#include "engine/follower.h"
#include "engine/partition_hash.h"
#include "rt/scope.h"

namespace weir::engine {

class Sequences final : public RefusedBatches {
 public:
  Sequences(rt::Loop& loop, Follower& follower, Batcher& batcher, Metrics& metrics);

  void examine(QueuedBatch batch, Refusal refusal) override;
  /// Looks again at what waits for these partitions.
  void on_changed(const std::vector<PartitionRef>& changed);
  void on_all_changed();
  /// Gives up on what has waited too long, until stopped.
  rt::Task<void> run();
  void stop();

 private:
  struct Ahead {
    QueuedBatch batch;
    MonoTime give_up;
  };
  /// False if the batch still has to wait.
  bool settle(QueuedBatch& batch);
  void look_again(std::vector<Ahead>& waiting);
  void refuse_after_barrier(QueuedBatch batch);
  rt::Task<void> refuse(QueuedBatch batch);

  rt::Loop& loop_;
  Follower& follower_;
  Batcher& batcher_;
  std::unordered_map<PartitionRef, std::vector<Ahead>, PartitionHash> ahead_;
  std::size_t waiting_ = 0;
  bool stopping_ = false;
  rt::Event changed_;
  rt::Scope scope_;
  Counter& waited_;
};

/// The run that a batch alone makes. Requires an idempotent batch.
state::ProducerRun run_of(const record::BatchInfo& info);

}  // namespace weir::engine
