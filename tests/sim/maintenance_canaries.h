// The planted bugs of maintenance. As all canaries they live around the engine: in the log below it
// and in the store beside it.
#pragma once

#include "commitlog/commit_log.h"
#include "engine/cluster_engine.h"
#include "objstore/memory_store.h"
#include "rt/random.h"

namespace weir::sim {

/// A log over an object store that removes entries as soon as somebody means to raise the floor,
/// and never publishes it.
class EarlyTruncationLog final : public commitlog::CommitLog {
 public:
  EarlyTruncationLog(commitlog::CommitLog& inner, objstore::ObjectStore& store)
      : inner_(inner), store_(store) {}
  rt::Task<Result<commitlog::CreateOutcome>> create(Position at, BytesChain entry) override {
    return inner_.create(at, std::move(entry));
  }
  rt::Task<Result<std::optional<SharedBytes>>> read(Position at) override {
    return inner_.read(at);
  }
  rt::Task<Result<Position>> read_floor() override { return inner_.read_floor(); }
  rt::Task<Result<void>> raise_floor(Position to) override;
  rt::Task<Result<void>> remove(Position, Position) override { co_return Result<void>(); }
  std::size_t item_bytes_max() const override { return inner_.item_bytes_max(); }
  std::string describe() const override { return inner_.describe(); }

 private:
  commitlog::CommitLog& inner_;
  objstore::ObjectStore& store_;
};

/// A log that makes each merge replace one span more than it has read, with a guard that fits: what
/// a fold without the guard would accept when a span was appended meanwhile.
class UnguardedMergeLog final : public commitlog::CommitLog {
 public:
  explicit UnguardedMergeLog(commitlog::CommitLog& inner) : inner_(inner) {}
  /// Once it exists; its state is the one that the next entry will be folded into.
  void set_engine(engine::ClusterEngine* engine) { engine_ = engine; }

  rt::Task<Result<commitlog::CreateOutcome>> create(Position at, BytesChain entry) override;
  rt::Task<Result<std::optional<SharedBytes>>> read(Position at) override {
    return inner_.read(at);
  }
  rt::Task<Result<Position>> read_floor() override { return inner_.read_floor(); }
  rt::Task<Result<void>> raise_floor(Position to) override { return inner_.raise_floor(to); }
  rt::Task<Result<void>> remove(Position first, Position last) override {
    return inner_.remove(first, last);
  }
  std::size_t item_bytes_max() const override { return inner_.item_bytes_max(); }
  bool guards_floor() const override { return inner_.guards_floor(); }
  std::string describe() const override { return inner_.describe(); }

 private:
  commitlog::CommitLog& inner_;
  engine::ClusterEngine* engine_ = nullptr;
};

/// Deletes whatever `state` does not know, however young it is.
void collect_carelessly(const state::State& state, objstore::MemoryStore& store);

}  // namespace weir::sim
