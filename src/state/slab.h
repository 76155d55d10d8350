// Slab<T>: objects with stable addresses and small reusable slot numbers.
//
// Partitions and producers refer to each other by 4-byte slots, and a chunk of neighbours is
// allocated at once. Slot numbers depend on history and so mean nothing outside of this process:
// they are neither hashed nor written to a snapshot.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/ensure.h"
#include "base/narrow.h"

namespace weir::state {

using Slot = std::uint32_t;
inline constexpr Slot kNoSlot = 0xffffffff;

template <class T>
class Slab {
 public:
  T& operator[](Slot slot) { return chunks_[slot / kChunk][slot % kChunk]; }
  const T& operator[](Slot slot) const { return chunks_[slot / kChunk][slot % kChunk]; }

  /// A default-constructed T.
  Slot allocate() {
    ++used_;
    if (!free_.empty()) {
      Slot slot = free_.back();
      free_.pop_back();
      return slot;
    }
    if (end_ % kChunk == 0) chunks_.push_back(std::make_unique<T[]>(kChunk));
    ENSURE(end_ < kNoSlot);
    return end_++;
  }
  void release(Slot slot) {
    (*this)[slot] = T();
    --used_;
    free_.push_back(slot);
  }

  std::size_t used() const { return used_; }
  /// One more than the greatest slot ever given out; slots below may be free.
  Slot end() const { return end_; }

 private:
  static constexpr Slot kChunk = 64;

  std::vector<std::unique_ptr<T[]>> chunks_;
  std::vector<Slot> free_;
  std::size_t used_ = 0;
  Slot end_ = 0;
};

}  // namespace weir::state
