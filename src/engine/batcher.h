// Batcher: gathers batches of all partitions into flushes, uploads them, and commits them.
//
// A flush closes when its window ends: at once when nothing is under way, else when the flush
// before it is done or the longest window is over. Where requests cost money, windows last between
// the shortest and the longest, as the request budget says (request_pacer.h), whatever is under
// way. Small flushes travel inside the log entry;
// larger ones become segments that upload in parallel. Commands are proposed in the order of the
// flushes, whatever order the uploads end in, so batches of one producer and partition keep their
// order. A command names a segment only after the store confirmed its upload.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "base/log.h"
#include "base/metrics.h"
#include "engine/cache.h"
#include "engine/flush_plan.h"
#include "engine/maintenance/topic_rules.h"
#include "engine/options.h"
#include "engine/proposer.h"
#include "engine/request_pacer.h"
#include "objstore/object_store.h"
#include "rt/scope.h"
#include "rt/workers.h"

namespace weir::engine {

/// Where batches go that the fold refused: they may be duplicates, or ahead of their predecessors.
class RefusedBatches {
 public:
  virtual ~RefusedBatches() = default;
  virtual void examine(QueuedBatch batch, Refusal refusal) = 0;
};

class Batcher {
 public:
  struct Parts {
    rt::Loop& loop;
    objstore::ObjectStore& store;
    Follower& follower;
    Proposer& proposer;
    RequestPacer& pacer;
    Cache& cache;
    const TopicConfigs& configs;
    /// May be null: compression happens on the loop then.
    rt::Workers* workers;
    Logger& logger;
    Metrics& metrics;
    DecisionRing& decisions;
  };
  Batcher(Parts parts, const Options& options);
  void set_refused(RefusedBatches* refused) { refused_ = refused; }

  /// Queues a batch; its call is told when it is committed, refused or failed.
  void add(QueuedBatch batch);
  rt::Task<void> run();
  /// Ends windows at once and refuses new batches; `run` returns when all are answered, or at
  /// `give_up`.
  void stop(MonoTime give_up);
  std::size_t queued() const { return queue_.size(); }
  /// Why the store has taken no segments lately, if so.
  std::string trouble() const;

 private:
  struct Flight;
  class Commit;
  bool window_over() const;
  std::optional<MonoTime> window_end() const;
  std::size_t inline_bytes_max() const;
  rt::Task<void> fly(std::shared_ptr<Flight> flight);
  rt::Task<void> upload(std::shared_ptr<Flight> flight, std::size_t object);
  Proposal segment_proposal(Flight& flight, std::size_t object) const;
  Proposal inline_proposal(const PlannedObject& object) const;
  BytesChain encode_object(const PlannedObject& object) const;
  void commit(Flight& flight, std::size_t object);
  void committed(PlannedObject object, const state::EntryView& entry,
                 const state::CommandOutcome& outcome);
  void settle_span(PlannedSpan span, const state::ItemOutcome& outcome);

  Parts parts_;
  const Options& options_;
  RefusedBatches* refused_ = nullptr;
  std::vector<QueuedBatch> queue_;
  std::size_t queued_bytes_ = 0;
  MonoTime first_arrival_{};
  std::size_t flights_ = 0;
  std::uint64_t next_flight_ = 0;
  std::uint64_t turn_ = 0;
  bool stopping_ = false;
  StoreTrouble upload_trouble_;
  MonoTime give_up_{};
  rt::Event changed_;
  rt::Event turn_changed_;
  rt::Scope scope_;
  Counter& flushes_inline_;
  Counter& flushes_segments_;
  Counter& flush_bytes_;
  Counter& spans_;
  Histogram& buffered_seconds_;
  Histogram& uploaded_seconds_;
  Histogram& committed_seconds_;
};

}  // namespace weir::engine
