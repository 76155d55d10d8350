// SlotIndex: finds the slot of a key that is stored in the slot itself.
//
// Open addressing over 4-byte slots, 6 to 13 bytes per key. The caller gives the hash of the key it
// looks for, and a function that gives the hash of a stored slot again (for growing and erasing).
// Nothing depends on the order of the table.
#pragma once

#include <cstdint>
#include <vector>

#include "state/slab.h"

namespace weir::state {

/// Spreads a number over 64 bits; not a contract.
inline std::uint64_t mix(std::uint64_t x) {
  x ^= x >> 32;
  x *= 0xd6e8feb86659fd93u;
  x ^= x >> 32;
  x *= 0xd6e8feb86659fd93u;
  return x ^ (x >> 32);
}

class SlotIndex {
 public:
  /// The slot for which `is(slot)` holds, or kNoSlot.
  template <class Is>
  Slot find(std::uint64_t hash, Is&& is) const {
    if (cells_.empty()) return kNoSlot;
    for (std::size_t at = hash & mask();; at = (at + 1) & mask()) {
      Slot slot = cells_[at];
      if (slot == kNoSlot) return kNoSlot;
      if (is(slot)) return slot;
    }
  }

  template <class HashOf>
  void insert(std::uint64_t hash, Slot slot, HashOf&& hash_of) {
    if ((used_ + 1) * 3 > cells_.size() * 2) grow(hash_of);
    place(hash, slot);
    ++used_;
  }

  /// `slot` must be in the index under `hash`.
  template <class HashOf>
  void erase(std::uint64_t hash, Slot slot, HashOf&& hash_of) {
    std::size_t hole = hash & mask();
    while (cells_[hole] != slot) {
      ENSURE(cells_[hole] != kNoSlot);
      hole = (hole + 1) & mask();
    }
    // Whatever follows and could not be found past the hole moves into it.
    for (std::size_t at = (hole + 1) & mask(); cells_[at] != kNoSlot; at = (at + 1) & mask()) {
      std::size_t home = hash_of(cells_[at]) & mask();
      if (((at - home) & mask()) < ((at - hole) & mask())) continue;
      cells_[hole] = cells_[at];
      hole = at;
    }
    cells_[hole] = kNoSlot;
    --used_;
  }

  std::size_t size() const { return used_; }

 private:
  std::size_t mask() const { return cells_.size() - 1; }
  void place(std::uint64_t hash, Slot slot) {
    std::size_t at = hash & mask();
    while (cells_[at] != kNoSlot) at = (at + 1) & mask();
    cells_[at] = slot;
  }
  template <class HashOf>
  void grow(HashOf&& hash_of) {
    std::vector<Slot> old = std::move(cells_);
    cells_.assign(old.empty() ? 16 : old.size() * 2, kNoSlot);
    for (Slot slot : old) {
      if (slot != kNoSlot) place(hash_of(slot), slot);
    }
  }

  std::vector<Slot> cells_;
  std::size_t used_ = 0;
};

}  // namespace weir::state
