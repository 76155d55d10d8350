// KeyMap: the last offset of each key, in a fixed amount of memory.
//
// A key is 128 bits of its SHA-256: what a producer chooses cannot make two keys collide, and a
// collision would lose a record. A slot takes 20 bytes: 50 million keys are five runs with 256 MiB.
// Offsets are differences from the base given to `reset`.
//
// Memory is taken as it is needed and kept until the map dies, never more than the budget.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/bytes.h"
#include "base/ids.h"
#include "crypto/digest.h"

namespace weir::compaction {

using KeyHash = std::array<std::uint32_t, 4>;
class KeyHasher {
 public:
  KeyHash operator()(Bytes key);

 private:
  crypto::Sha256Hasher sha256_;
};

class KeyMap {
 public:
  /// At least one key fits, whatever the budget.
  explicit KeyMap(std::size_t bytes_max);

  /// Empties it. At most `keys` different keys will be put, so that small partitions clear little.
  void reset(Offset base, std::uint64_t keys);
  /// Offsets of one key rise, and lie in [base, base + limits::mapped_offsets_max). False: the key
  /// is new and there is no room.
  bool put(const KeyHash& key, Offset offset);
  std::optional<Offset> find(const KeyHash& key) const;

  std::size_t size() const { return size_; }
  std::size_t keys_max() const { return keys_max_; }
  std::size_t memory_bytes() const { return slots_.capacity() * sizeof(Slot); }

 private:
  struct Slot {
    KeyHash key;
    /// Offset - base + 1; 0: empty.
    std::uint32_t delta = 0;
  };
  static_assert(sizeof(Slot) == 20);

  std::size_t find_slot(const KeyHash& key) const;

  std::size_t slots_max_;
  std::vector<Slot> slots_;
  /// The first of `slots_`, those that are in use since `reset`.
  std::size_t used_slots_ = 0;
  std::size_t keys_max_ = 0;
  std::size_t size_ = 0;
  Offset base_;
};

}  // namespace weir::compaction
