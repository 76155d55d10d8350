// The planted bugs of maintenance. As all canaries they live around the engine: in the log below it
// and in the store beside it.
#pragma once

#include "commitlog/commit_log.h"
#include "engine/cluster_engine.h"
#include "engine/maintenance/topic_rules.h"
#include "objstore/memory_store.h"
#include "rt/random.h"
#include "state/commands/replace_spans.h"
#include "tests/sim/canary.h"

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

/// A log that spoils what replaces spans:
///   merge_unguarded  one span more is replaced than was read, with a guard that fits: what a fold
///                    without the guard would accept when a span was appended meanwhile
///   clean_unread     a compaction makes the whole partition clean, also what came while it ran
class SpoiledReplaceLog final : public commitlog::CommitLog {
 public:
  SpoiledReplaceLog(commitlog::CommitLog& inner, Canary canary) : inner_(inner), canary_(canary) {}
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
  bool spoil(state::command::ReplaceSpans& command) const;

  commitlog::CommitLog& inner_;
  Canary canary_;
  engine::ClusterEngine* engine_ = nullptr;
};

/// Topic configs of a broker that knows no delete.retention.ms.
class HastyConfigs final : public engine::TopicConfigs {
 public:
  std::optional<std::string> value(const state::Catalog& catalog, const state::TopicInfo& topic,
                                   std::string_view name) const override {
    if (name == "delete.retention.ms") return "0";
    return own_.value(catalog, topic, name);
  }

 private:
  engine::OwnTopicConfigs own_;
};

/// Deletes whatever `state` does not know, however young it is.
void collect_carelessly(const state::State& state, objstore::MemoryStore& store);

}  // namespace weir::sim
