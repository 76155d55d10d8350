// The planted bugs of maintenance. As all canaries they live around the engine: in the log below it
// and in the store beside it.
#pragma once

#include "commitlog/commit_log.h"
#include "commitlog/forwarding_log_for_test.h"
#include "engine/cluster_engine.h"
#include "engine/maintenance/topic_rules.h"
#include "objstore/memory_store.h"
#include "rt/random.h"
#include "state/commands/replace_spans.h"
#include "tests/sim/canary.h"

namespace weir::sim {

/// A log over an object store that removes entries as soon as somebody means to raise the floor,
/// and never publishes it.
class EarlyTruncationLog final : public commitlog::ForwardingLog {
 public:
  EarlyTruncationLog(commitlog::CommitLog& inner, objstore::ObjectStore& store)
      : ForwardingLog(inner), store_(store) {}
  rt::Task<Result<void>> raise_floor(Position to) override;
  rt::Task<Result<void>> remove(Position, Position) override { co_return Result<void>(); }
  std::string describe() const override { return inner_.describe(); }

 private:
  objstore::ObjectStore& store_;
};

/// A log that spoils what replaces spans:
///   merge_unguarded  one span more is replaced than was read, with a guard that fits: what a fold
///                    without the guard would accept when a span was appended meanwhile
///   clean_unread     a compaction makes the whole partition clean, also what came while it ran
class SpoiledReplaceLog final : public commitlog::ForwardingLog {
 public:
  SpoiledReplaceLog(commitlog::CommitLog& inner, Canary canary)
      : ForwardingLog(inner), canary_(canary) {}
  /// Once it exists; its state is the one that the next entry will be folded into.
  void set_engine(engine::ClusterEngine* engine) { engine_ = engine; }

  rt::Task<Result<commitlog::CreateOutcome>> create(Position at, BytesChain entry) override;
  bool guards_floor() const override { return inner_.guards_floor(); }
  std::string describe() const override { return inner_.describe(); }

 private:
  bool spoil(state::command::ReplaceSpans& command) const;
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
