// Cache: regions of record batches in memory, with final offsets, ready to be sent.
//
// A region is what one span covers. It enters right after its commit (the memory is the producer's
// network buffer) or after a load from the store, is stamped once with base offset and leader
// epoch, and is sent from here by reference. One budget in bytes, two queues, first in first out:
// the *tail*, which caught-up consumers read a moment after it was written, and what *catch-up*
// readers loaded, which is sent once and rarely needed again. When room is short, the catch-up
// queue gives way as long as it holds more than its share, so that a replay does not push the tail
// out, and has room enough to read ahead of itself. What it takes to hold a region counts too: of
// regions that are one small record each it is more than the record. Used on the engine's loop.
#pragma once

#include <cstdint>
#include <list>
#include <unordered_map>

#include "base/bytes.h"
#include "base/memory_pool.h"
#include "base/metrics.h"
#include "state/state.h"

namespace weir::engine {

/// Names a region: the object and where it starts in it.
struct RegionKey {
  std::uint64_t position = 0;  // inline: of the entry; segment: born
  std::uint64_t tag = 0;       // inline: nonce tag; segment: writer (low half)
  std::uint64_t counter = 0;   // segment: its number; inline: ~0
  std::uint64_t first_byte = 0;

  friend bool operator==(const RegionKey&, const RegionKey&) = default;
  static RegionKey of(const state::ObjectRef& object, std::uint64_t first_byte);
};

struct RegionKeyHash {
  std::size_t operator()(const RegionKey& key) const noexcept;
};

class Cache {
 public:
  Cache(MemoryPool& pool, Metrics& metrics);
  ~Cache();

  /// What a region takes beside its bytes: list and table entries, and for each part its slice and
  /// the head of its block, as an allocator rounds them up.
  static constexpr std::size_t kRegionBytes = 176;
  static constexpr std::size_t kPartBytes = 64;

  enum class Age : unsigned char { tail, catch_up };
  /// Adds a stamped region, replacing one of the same name; moves its memory into the cache's pool.
  void insert(const RegionKey& key, BytesChain region, Age age);
  /// The region, or null. The pointer is valid until the next insert.
  const BytesChain* find(const RegionKey& key);
  /// The same for who is no reader: neither hit nor miss.
  const BytesChain* peek(const RegionKey& key) const;
  bool holds(const RegionKey& key) const { return regions_.contains(key); }
  std::size_t regions() const { return regions_.size(); }
  /// Bytes that catch-up readers may hold while the tail wants room.
  std::size_t catch_up_share() const { return pool_.bytes_max() / kCatchUpShare; }

 private:
  static constexpr std::size_t kCatchUpShare = 4;
  struct Region {
    RegionKey key;
    BytesChain bytes;
    Age age;
  };
  using List = std::list<Region>;
  static std::size_t held_for(const Region& region) {
    return kRegionBytes + kPartBytes * region.bytes.parts().size();
  }
  static std::size_t bytes_with(const Region& region) {
    return region.bytes.size() + held_for(region);
  }
  void remove(List::iterator region);
  void evict_to_budget();
  void evict_oldest(List& queue);
  List& queue_of(Age age) { return age == Age::tail ? tail_ : catch_up_; }

  MemoryPool& pool_;
  List tail_;  // newest first, both
  List catch_up_;
  std::size_t catch_up_bytes_ = 0;
  std::unordered_map<RegionKey, List::iterator, RegionKeyHash> regions_;
  Counter& hits_;
  Counter& misses_;
  Counter& evictions_;
};

}  // namespace weir::engine
