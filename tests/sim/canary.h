// Canaries: bugs planted on purpose, each of which the checker must catch. A canary that survives
// means that the checker, or the workload, cannot see that kind of bug.
//
// They are planted around the engine, not in it: in the log or store below it, and in what a broker
// answers.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "commitlog/memory_log.h"
#include "engine/api.h"
#include "objstore/memory_store.h"
#include "rt/random.h"
#include "state/state.h"
#include "tests/sim/checker.h"

namespace weir::sim {

enum class Canary : std::uint8_t {
  none,
  ack_without_commit,  // a produce is answered and forgotten
  ack_on_time_out,     // a commit that did not end is answered as done
  no_idempotence,      // producer ids are dropped, so retries append again
  create_wins_twice,   // the log says "won" to a writer that came second
  log_loses_entry,     // the newest entry is gone after all brokers have died
  stale_log_reads,     // the log says "absent" of an entry that was answered before
  wrong_segment,       // the store returns the bytes of another segment
  damaged_segment,     // the store returns a wrong byte
  shifted_offsets,     // a broker stamps offsets that are off by one
  changed_record,      // a broker changes a byte and repairs the checksum
  skipped_batch,       // a broker leaves out a batch of an answer
  state_drifts,        // one broker's state differs
  early_truncation,    // log entries are removed before the floor is published
  careless_collector,  // what nothing names is deleted whatever its age
  merge_unguarded,     // a merge replaces more than it has read
  value_dropped,       // compaction drops the latest value of a key
  value_resurrected,   // a broker shows a record again that compaction has dropped
  clean_unread,        // a compaction calls clean what it has not read
  tombstone_dropped,   // tombstones go before delete.retention.ms
  store_stays_down,    // the store does not come back after the last fault
  expire_unguarded,    // members are expired over signs of life that came meanwhile
  commit_unguarded,    // commits land whatever their generation
  revoke_unawaited,    // partitions are given on before their owner gave them up
  torn_commit,         // an offset lands without its metadata
};

enum class Workload : std::uint8_t;

struct CanaryInfo {
  Canary canary;
  std::string_view name;
  std::string_view what;
  /// At least one of these must be found.
  std::vector<Violation> caught_as;
  /// Where only one workload can catch it.
  std::optional<Workload> workload = std::nullopt;
};
const std::vector<CanaryInfo>& all_canaries();
std::optional<Canary> canary_named(std::string_view name);
const CanaryInfo& info_of(Canary canary);
inline bool is_of_compaction(Canary canary) {
  return canary == Canary::value_dropped || canary == Canary::value_resurrected ||
         canary == Canary::clean_unread || canary == Canary::tombstone_dropped;
}
/// Only the workload `maintenance` can meet them.
inline bool needs_maintenance(Canary canary) {
  return canary == Canary::early_truncation || canary == Canary::careless_collector ||
         canary == Canary::merge_unguarded || is_of_compaction(canary);
}

/// The log in memory, with the canaries that live in a log.
class CanaryLog final : public commitlog::CommitLog {
 public:
  CanaryLog(Canary canary, rt::Random& random) : canary_(canary), random_(random) {}

  rt::Task<Result<commitlog::CreateOutcome>> create(Position at, BytesChain entry) override;
  rt::Task<Result<std::optional<SharedBytes>>> read(Position at) override;
  rt::Task<Result<Position>> read_floor() override { co_return Position(0); }
  rt::Task<Result<void>> raise_floor(Position) override { co_return Result<void>(); }
  rt::Task<Result<void>> remove(Position, Position) override { co_return Result<void>(); }
  std::size_t item_bytes_max() const override { return commitlog::kEntryBytesMax; }
  bool guards_floor() const override { return true; }
  std::string describe() const override { return "canary://"; }

  void all_brokers_died();

 private:
  /// The entry with its commands about groups spoiled, as of brokers without the guard.
  SharedBytes spoiled(const SharedBytes& entry);

  Canary canary_;
  rt::Random& random_;
  std::vector<SharedBytes> entries_;
  /// What brokers will have folded.
  state::State folded_;
};

/// The store in memory, with the canary that lives in a store.
class CanaryStore final : public objstore::ObjectStore {
 public:
  CanaryStore(objstore::MemoryStore& inner, Canary canary, rt::Random& random)
      : inner_(inner), canary_(canary), random_(random) {}
  rt::Task<Result<std::string>> put(std::string name, BytesChain body) override {
    return inner_.put(std::move(name), std::move(body));
  }
  rt::Task<Result<std::string>> put_if_absent(std::string name, BytesChain body) override {
    return inner_.put_if_absent(std::move(name), std::move(body));
  }
  rt::Task<Result<std::string>> put_if_match(std::string name, BytesChain body,
                                             std::string etag) override {
    return inner_.put_if_match(std::move(name), std::move(body), std::move(etag));
  }
  rt::Task<Result<SharedBytes>> get(std::string name) override {
    return inner_.get(std::move(name));
  }
  rt::Task<Result<SharedBytes>> get_range(std::string name, std::uint64_t offset,
                                          std::uint64_t length) override;
  rt::Task<Result<objstore::ObjectInfo>> head(std::string name) override {
    return inner_.head(std::move(name));
  }
  rt::Task<Result<Page>> list(std::string prefix, std::string continuation) override {
    return inner_.list(std::move(prefix), std::move(continuation));
  }
  rt::Task<Result<RemoveFailures>> remove(std::vector<std::string> names) override {
    return inner_.remove(std::move(names));
  }
  std::string describe() const override { return inner_.describe(); }

 private:
  objstore::MemoryStore& inner_;
  Canary canary_;
  rt::Random& random_;
};

/// Changes what a broker is asked or answers.
class CanaryAnswers {
 public:
  CanaryAnswers(Canary canary, rt::Random& random) : canary_(canary), random_(random) {}
  Canary canary() const { return canary_; }
  void spoil_request(engine::ProduceItem& item);
  /// True: the request never reaches the engine, and is answered with `outcome`.
  bool swallow(const engine::ProduceItem& item, Offset end, engine::ProduceOutcome& outcome);
  void spoil(engine::ProduceOutcome& outcome);
  void spoil(engine::FetchedPartition& answer);
  /// Of a reading from start to end, with everything at rest.
  void spoil_final(PartitionRef at, Offset asked, engine::FetchedPartition& answer);
  /// What was answered before, while it was right.
  void remember(PartitionRef at, const engine::FetchedPartition& answer);

 private:
  bool now(std::uint64_t one_in) { return random_.below(one_in) == 0; }
  Canary canary_;
  rt::Random& random_;
  /// The first batch that was answered of each partition, for value_resurrected.
  std::map<PartitionRef, SharedBytes> remembered_;
};

}  // namespace weir::sim
