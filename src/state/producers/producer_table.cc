#include "state/producers/producer_table.h"

#include <algorithm>
#include <vector>

namespace weir::state {
namespace {

std::uint64_t index_hash(ProducerId id) { return mix(static_cast<std::uint64_t>(id.value)); }
std::uint64_t index_hash(Slot partition, Slot producer) {
  return mix(std::uint64_t{partition} << 32 | producer);
}

}  // namespace

Hash128 Producer::hash() const {
  if (!live_) return {};
  HashWords words;
  words.add(id_.value).add(last_position_.value).add(last_use_);
  return words.finish(UnitKind::producer);
}

Hash128 Sequences::hash() const {
  if (!live_) return {};
  HashWords words;
  words.add(at_.topic).add(std::int64_t{at_.partition.value}).add(producer_.value);
  words.add(std::int64_t{runs_.epoch().value});
  for (std::size_t i = 0; i < runs_.count(); ++i) {
    const RememberedRun& run = runs_.run(i);
    words.add(run.base_offset).add(std::uint64_t{runs_.batches(i)});
    words.add(static_cast<std::uint64_t>(run.first_sequence) << 32 |
              static_cast<std::uint32_t>(run.records));
  }
  return words.finish(UnitKind::sequences);
}

// --- finding ---

Slot ProducerTable::find_producer(ProducerId id) const {
  return by_id_.find(index_hash(id), [&](Slot slot) { return producers_[slot].id() == id; });
}

Slot ProducerTable::find_sequences(Slot partition, Slot producer) const {
  return by_pair_.find(index_hash(partition, producer), [&](Slot slot) {
    const Sequences& unit = sequences_[slot];
    return unit.partition_slot == partition && unit.producer_slot == producer;
  });
}

const Producer* ProducerTable::find(ProducerId id) const {
  Slot slot = find_producer(id);
  return slot == kNoSlot ? nullptr : &producers_[slot];
}

ItemOutcome ProducerTable::judge(Slot partition, const ProducerRun& run, std::int32_t records,
                                 Offset end) const {
  Slot owner = find_producer(run.producer);
  Slot slot = owner == kNoSlot ? kNoSlot : find_sequences(partition, owner);
  if (slot == kNoSlot) return RunMemory().judge(run, records, end);
  return sequences_[slot].runs().judge(run, records, end);
}

// --- changing ---

void ProducerTable::accept(Ledger& ledger, Slot partition, const ProducerRun& run,
                           const Accepted& accepted) {
  Slot owner = find_producer(run.producer);
  if (owner == kNoSlot) {
    if (producers_.used() >= producers_max_) remove_producer(ledger, oldest_);
    owner = add_producer(ledger, run.producer);
  }
  Slot slot = find_sequences(partition, owner);
  if (slot == kNoSlot) slot = add_sequences(ledger, partition, owner);
  ledger.edit(sequences_[slot], [&](Sequences& unit, EditKey key) {
    unit.change_runs(key).accept(run, accepted.records, accepted.batches, accepted.base);
  });
  ledger.edit(producers_[owner],
              [&](Producer& unit, EditKey key) { unit.use(key, accepted.position, accepted.use); });
  unlink_use(owner);
  link_youngest(owner);
}

bool ProducerTable::expire(Ledger& ledger, ProducerId id) {
  Slot slot = find_producer(id);
  if (slot == kNoSlot) return false;
  remove_producer(ledger, slot);
  return true;
}

void ProducerTable::forget_partition(Ledger& ledger, Slot partition) {
  while (partitions_[partition].first_producer != kNoSlot) {
    Slot slot = partitions_[partition].first_producer;
    Slot owner = sequences_[slot].producer_slot;
    remove_sequences(ledger, slot);
    if (producers_[owner].first == kNoSlot) remove_producer(ledger, owner);
  }
}

Slot ProducerTable::add_producer(Ledger& ledger, ProducerId id) {
  Slot slot = producers_.allocate();
  ledger.edit(producers_[slot], [&](Producer& unit, EditKey key) { unit.create(key, id); });
  by_id_.insert(index_hash(id), slot,
                [&](Slot other) { return index_hash(producers_[other].id()); });
  link_youngest(slot);
  return slot;
}

void ProducerTable::remove_producer(Ledger& ledger, Slot slot) {
  while (producers_[slot].first != kNoSlot) remove_sequences(ledger, producers_[slot].first);
  by_id_.erase(index_hash(producers_[slot].id()), slot,
               [&](Slot other) { return index_hash(producers_[other].id()); });
  unlink_use(slot);
  ledger.edit(producers_[slot], [](Producer& unit, EditKey key) { unit.remove(key); });
  producers_.release(slot);
}

Slot ProducerTable::add_sequences(Ledger& ledger, Slot partition, Slot producer) {
  Slot slot = sequences_.allocate();
  Sequences& unit = sequences_[slot];
  ledger.edit(unit, [&](Sequences& fresh, EditKey key) {
    fresh.create(key, partitions_[partition].ref(), producers_[producer].id());
  });
  unit.partition_slot = partition;
  unit.producer_slot = producer;
  unit.in_partition.next = std::exchange(partitions_[partition].first_producer, slot);
  if (unit.in_partition.next != kNoSlot) {
    sequences_[unit.in_partition.next].in_partition.previous = slot;
  }
  unit.in_producer.next = std::exchange(producers_[producer].first, slot);
  if (unit.in_producer.next != kNoSlot) {
    sequences_[unit.in_producer.next].in_producer.previous = slot;
  }
  by_pair_.insert(index_hash(partition, producer), slot, [&](Slot other) {
    return index_hash(sequences_[other].partition_slot, sequences_[other].producer_slot);
  });
  return slot;
}

void ProducerTable::remove_sequences(Ledger& ledger, Slot slot) {
  Sequences& unit = sequences_[slot];
  by_pair_.erase(index_hash(unit.partition_slot, unit.producer_slot), slot, [&](Slot other) {
    return index_hash(sequences_[other].partition_slot, sequences_[other].producer_slot);
  });
  auto unlink = [&](Slot& head, Sequences::Links Sequences::* list) {
    Sequences::Links links = unit.*list;
    if (links.next != kNoSlot) (sequences_[links.next].*list).previous = links.previous;
    if (links.previous != kNoSlot) {
      (sequences_[links.previous].*list).next = links.next;
    } else {
      head = links.next;
    }
  };
  unlink(partitions_[unit.partition_slot].first_producer, &Sequences::in_partition);
  unlink(producers_[unit.producer_slot].first, &Sequences::in_producer);
  ledger.edit(unit, [](Sequences& gone, EditKey key) { gone.remove(key); });
  sequences_.release(slot);
}

// --- the order of last use ---

void ProducerTable::unlink_use(Slot slot) {
  Producer& unit = producers_[slot];
  (unit.older == kNoSlot ? oldest_ : producers_[unit.older].younger) = unit.younger;
  (unit.younger == kNoSlot ? youngest_ : producers_[unit.younger].older) = unit.older;
  unit.older = kNoSlot;
  unit.younger = kNoSlot;
}

void ProducerTable::link_youngest(Slot slot) {
  Producer& unit = producers_[slot];
  unit.older = std::exchange(youngest_, slot);
  unit.younger = kNoSlot;
  (unit.older == kNoSlot ? oldest_ : producers_[unit.older].younger) = slot;
}

// --- from a snapshot ---

bool ProducerTable::restore_producer(Ledger& ledger, ProducerId id, Position last_position,
                                     std::uint64_t last_use) {
  if (find_producer(id) != kNoSlot || producers_.used() >= producers_max_) return false;
  Slot slot = add_producer(ledger, id);
  ledger.edit(producers_[slot],
              [&](Producer& unit, EditKey key) { unit.use(key, last_position, last_use); });
  return true;
}

bool ProducerTable::restore_sequences(Ledger& ledger, Slot partition, ProducerId id,
                                      const RunMemory& runs) {
  Slot owner = find_producer(id);
  if (owner == kNoSlot || find_sequences(partition, owner) != kNoSlot) return false;
  Slot slot = add_sequences(ledger, partition, owner);
  ledger.edit(sequences_[slot],
              [&](Sequences& unit, EditKey key) { unit.change_runs(key) = runs; });
  return true;
}

bool ProducerTable::restore_order() {
  std::vector<std::pair<std::uint64_t, Slot>> order;
  order.reserve(producers_.used());
  for (Slot slot = 0; slot < producers_.end(); ++slot) {
    if (!producers_[slot].live()) continue;
    if (producers_[slot].first == kNoSlot) return false;
    order.emplace_back(producers_[slot].last_use(), slot);
  }
  std::sort(order.begin(), order.end());
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i > 0 && order[i].first == order[i - 1].first) return false;
    unlink_use(order[i].second);
    link_youngest(order[i].second);
  }
  return true;
}

}  // namespace weir::state
