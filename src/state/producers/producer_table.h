// ProducerTable: which producers are known, and what each partition remembers of them.
//
// The runs of one producer in one partition are a unit (`Sequences`). It is found by both names,
// and is a member of two lists: of its producer (which expires as a whole) and of its partition
// (which may be deleted). Producers are ordered by their last accepted run; when there are too many
// the longest idle goes first. A producer enters with its first span and leaves with its last
// Sequences.
#pragma once

#include <cstdint>

#include "base/hash.h"
#include "base/ids.h"
#include "state/ledger.h"
#include "state/log/partition.h"
#include "state/producers/runs.h"
#include "state/slab.h"
#include "state/slot_index.h"
#include "state/unit.h"

namespace weir::state {

class Producer {
 public:
  ProducerId id() const { return id_; }
  Position last_position() const { return last_position_; }
  /// Number of its last accepted run among all of the cluster.
  std::uint64_t last_use() const { return last_use_; }

  bool live() const { return live_; }
  Hash128 hash() const;
  void create(EditKey, ProducerId id) {
    live_ = true;
    id_ = id;
  }
  void use(EditKey, Position position, std::uint64_t use) {
    last_position_ = position;
    last_use_ = use;
  }
  void remove(EditKey) { live_ = false; }

  SnapshotMark mark;
  /// The list of its Sequences, and its place in the order of last use.
  Slot first = kNoSlot;
  Slot older = kNoSlot;
  Slot younger = kNoSlot;

 private:
  bool live_ = false;
  ProducerId id_;
  Position last_position_;
  std::uint64_t last_use_ = 0;
};

class Sequences {
 public:
  const PartitionRef& at() const { return at_; }
  ProducerId producer() const { return producer_; }
  const RunMemory& runs() const { return runs_; }

  bool live() const { return live_; }
  Hash128 hash() const;
  void create(EditKey, const PartitionRef& at, ProducerId producer) {
    live_ = true;
    at_ = at;
    producer_ = producer;
  }
  RunMemory& change_runs(EditKey) { return runs_; }
  void remove(EditKey) { live_ = false; }

  SnapshotMark mark;
  Slot partition_slot = kNoSlot;
  Slot producer_slot = kNoSlot;
  /// Neighbours in the lists of the partition and of the producer.
  struct Links {
    Slot previous = kNoSlot;
    Slot next = kNoSlot;
  };
  Links in_partition;
  Links in_producer;

 private:
  bool live_ = false;
  PartitionRef at_;
  ProducerId producer_;
  RunMemory runs_;
};

class ProducerTable {
 public:
  explicit ProducerTable(Slab<Partition>& partitions, std::size_t producers_max = kProducerIdsMax)
      : partitions_(partitions), producers_max_(producers_max) {}

  std::size_t producer_count() const { return producers_.used(); }
  std::size_t sequences_count() const { return sequences_.used(); }
  const Producer* find(ProducerId id) const;
  /// As RunMemory::judge, also where the partition has no state for the producer.
  ItemOutcome judge(Slot partition, const ProducerRun& run, std::int32_t records, Offset end) const;

  /// Where and when a run was accepted.
  struct Accepted {
    Position position;
    std::uint64_t use = 0;
    Offset base;
    std::int32_t records = 0;
    std::int32_t batches = 0;
  };
  /// Remembers a run that was accepted; makes room for a new producer.
  void accept(Ledger& ledger, Slot partition, const ProducerRun& run, const Accepted& accepted);
  /// The producer is forgotten in all partitions. False if it is not known.
  bool expire(Ledger& ledger, ProducerId id);
  /// The partition is deleted.
  void forget_partition(Ledger& ledger, Slot partition);

  // --- for snapshots ---
  Slab<Producer>& producers() { return producers_; }
  Slab<Sequences>& sequences() { return sequences_; }
  const Slab<Sequences>& sequences() const { return sequences_; }
  /// False if it is known already.
  bool restore_producer(Ledger& ledger, ProducerId id, Position last_position,
                        std::uint64_t last_use);
  /// False if the producer is not known, or the pair is already.
  bool restore_sequences(Ledger& ledger, Slot partition, ProducerId id, const RunMemory& runs);
  /// Orders the restored producers by last use. False if one has no Sequences or two share a use.
  bool restore_order();

 private:
  Slot find_producer(ProducerId id) const;
  Slot find_sequences(Slot partition, Slot producer) const;
  Slot add_producer(Ledger& ledger, ProducerId id);
  void remove_producer(Ledger& ledger, Slot slot);
  Slot add_sequences(Ledger& ledger, Slot partition, Slot producer);
  /// Takes it out of everything but the producer's life.
  void remove_sequences(Ledger& ledger, Slot slot);
  void unlink_use(Slot slot);
  void link_youngest(Slot slot);

  Slab<Partition>& partitions_;
  std::size_t producers_max_;
  Slab<Producer> producers_;
  Slab<Sequences> sequences_;
  SlotIndex by_id_;
  SlotIndex by_pair_;
  Slot oldest_ = kNoSlot;
  Slot youngest_ = kNoSlot;
};

}  // namespace weir::state
