// ObjectTable: which objects hold record bytes that spans name, and how many of them.
//
// Objects are numbered in the order of the log. Small flushes make one inline object per entry,
// millions of them on a busy cluster, so those are 16 bytes each in chunks of 256 that are freed
// when nothing in them is alive. Segments are fewer; they are found by number and by name, and stay
// after their last span until a command says that the object is deleted.
//
// Deletion of segments is decided elsewhere; the table only lists those that nothing names.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "base/hash.h"
#include "base/ids.h"
#include "state/ledger.h"
#include "state/log/span_list.h"
#include "state/slab.h"
#include "state/slot_index.h"
#include "state/state.h"
#include "state/unit.h"

namespace weir::state {

struct SegmentName {
  Position born;
  Incarnation writer;
  std::uint64_t counter = 0;

  friend bool operator==(const SegmentName&, const SegmentName&) = default;
};

class Segment {
 public:
  ObjectId id() const { return id_; }
  const SegmentName& name() const { return name_; }
  std::uint64_t bytes() const { return bytes_; }
  std::uint64_t live_bytes() const { return live_bytes_; }

  bool live() const { return live_; }
  Hash128 hash() const;

  /// Its regions hold final offsets and leader epochs: written by a merge, not by a flush.
  bool is_final() const { return final_; }

  void create(EditKey, ObjectId id, const SegmentName& name, std::uint64_t bytes) {
    live_ = true;
    id_ = id;
    name_ = name;
    bytes_ = bytes;
  }
  void set_final(EditKey) { final_ = true; }
  void set_live_bytes(EditKey, std::uint64_t bytes) { live_bytes_ = bytes; }
  void remove(EditKey) { live_ = false; }

  SnapshotMark mark;

 private:
  bool live_ = false;
  bool final_ = false;
  ObjectId id_;
  SegmentName name_;
  std::uint64_t bytes_ = 0;
  std::uint64_t live_bytes_ = 0;
};

/// An object that exists while a span names it.
struct InlineObject {
  std::uint32_t position_delta = 0;
  std::uint32_t live_bytes = 0;
  std::uint64_t nonce_tag = 0;
};

struct InlineChunk {
  static constexpr std::uint64_t kObjects = 256;

  /// Of its first object; the others are stored as differences.
  Position base;
  std::uint32_t live = 0;
  SnapshotMark mark;
  std::array<InlineObject, kObjects> objects;
};

/// One inline object as a unit; a chunk is what a snapshot writes at once.
class InlineUnit {
 public:
  InlineUnit(InlineChunk& chunk, std::uint64_t sequence) : chunk_(chunk), sequence_(sequence) {}

  InlineChunk& chunk() { return chunk_; }
  std::uint64_t first_sequence() const {
    return sequence_ / InlineChunk::kObjects * InlineChunk::kObjects;
  }
  bool live() const { return object().live_bytes != 0; }
  Hash128 hash() const;
  InlineObject& change(EditKey) { return chunk_.objects[sequence_ % InlineChunk::kObjects]; }

 private:
  const InlineObject& object() const { return chunk_.objects[sequence_ % InlineChunk::kObjects]; }

  InlineChunk& chunk_;
  std::uint64_t sequence_;
};

/// First 8 bytes of the nonce, as a little-endian number.
std::uint64_t nonce_tag_of(const Nonce& nonce);

class ObjectTable {
 public:
  // --- inline objects ---
  /// The first sequence number at or after `next` that can hold an object at this position.
  std::uint64_t place_inline(std::uint64_t next, Position position) const;
  /// `sequence` from place_inline; `bytes` > 0.
  void add_inline(Ledger& ledger, std::uint64_t sequence, Position position,
                  std::uint64_t nonce_tag, std::uint32_t bytes);
  /// More spans of the same entry.
  void grow_inline(Ledger& ledger, std::uint64_t sequence, std::uint32_t bytes);
  std::uint64_t inline_bytes_live() const { return inline_bytes_live_; }
  std::size_t inline_count() const { return inline_count_; }
  std::optional<Position> oldest_inline() const;

  // --- segments ---
  Slot find_segment(const SegmentName& name) const;
  Slot find_segment(ObjectId id) const;
  const Segment& segment(Slot slot) const { return segments_[slot]; }
  Slot add_segment(Ledger& ledger, ObjectId id, const SegmentName& name, std::uint64_t bytes);
  void set_segment_final(Ledger& ledger, Slot slot);
  void set_segment_live(Ledger& ledger, Slot slot, std::uint64_t live_bytes);
  /// Only one that nothing names.
  void remove_segment(Ledger& ledger, Slot slot);
  std::size_t segment_count() const { return segments_.used(); }
  /// Sequence numbers of the segments that no span names.
  const std::set<std::uint64_t>& awaiting_deletion() const { return awaiting_; }

  // --- both ---
  /// A span of the object is gone.
  void release(Ledger& ledger, ObjectId id, std::uint32_t bytes);
  ObjectRef describe(ObjectId id) const;
  bool knows(ObjectId id) const;
  /// Of an inline object that is known.
  std::uint32_t inline_live_bytes(ObjectId id) const;

  // --- for snapshots ---
  Slab<Segment>& segments() { return segments_; }
  /// By sequence number / InlineChunk::kObjects; all of them hold a live object.
  const std::map<std::uint64_t, std::unique_ptr<InlineChunk>>& chunks() const { return chunks_; }
  /// As add_inline, into a chunk with the base that it had.
  void restore_inline(Ledger& ledger, std::uint64_t sequence, Position chunk_base,
                      Position position, const InlineObject& object);

 private:
  const InlineObject* find_inline(std::uint64_t sequence) const;
  InlineChunk* chunk(std::uint64_t number) const;

  std::map<std::uint64_t, std::unique_ptr<InlineChunk>> chunks_;
  std::uint64_t inline_bytes_live_ = 0;
  std::size_t inline_count_ = 0;

  Slab<Segment> segments_;
  SlotIndex by_name_;
  SlotIndex by_id_;
  std::set<std::uint64_t> awaiting_;
};

}  // namespace weir::state
