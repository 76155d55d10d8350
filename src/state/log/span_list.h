// SpanList: the spans of one partition, in offset order, in about ten bytes each.
//
// A cluster may hold millions of spans in memory, on every broker. They are kept as varint deltas
// in blocks of 32; a block's header holds the absolute values its first span starts from, so
// finding an offset is a binary search over headers and a decode of at most 32 spans. Retention
// drops whole blocks, and re-encodes the one it cuts.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/ids.h"
#include "state/unit.h"

namespace weir::state {

/// Sequence number of an object, and whether it is a segment, in one number (the lowest bit), so
/// that spans hold one small delta.
struct ObjectId {
  std::uint64_t value = 0;

  static ObjectId make(std::uint64_t sequence, bool segment) {
    return {sequence << 1 | (segment ? 1 : 0)};
  }
  bool is_segment() const { return (value & 1) != 0; }
  std::uint64_t sequence() const { return value >> 1; }
  friend auto operator<=>(const ObjectId&, const ObjectId&) = default;
};

struct Span {
  Offset base;
  std::int32_t records = 0;
  std::uint32_t bytes = 0;
  ObjectId object;
  std::uint32_t first_byte = 0;
  std::int64_t max_timestamp_ms = -1;
  LeaderEpoch epoch;

  Offset end() const { return Offset(base.value + records); }
  Hash128 hash() const;
  friend bool operator==(const Span&, const Span&) = default;
};

class SpanList {
 public:
  std::uint32_t count() const { return count_; }
  bool empty() const { return count_ == 0; }

  /// `span` must begin where the last one ends, and have at least one record.
  void append(EditKey, const Span& span);
  /// Removes the spans that end at or before `start`, telling `dropped` of each in order.
  template <class Dropped>
  void drop_below(EditKey, Offset start, Dropped&& dropped) {
    std::size_t whole = 0;
    for (; whole < blocks_.size() && blocks_[whole].end <= start; ++whole) {
      blocks_[whole].visit([&](const Span& span) {
        dropped(span);
        return true;
      });
      count_ -= blocks_[whole].count;
    }
    blocks_.erase(blocks_.begin(), blocks_.begin() + static_cast<std::ptrdiff_t>(whole));
    if (blocks_.empty() || blocks_.front().base >= start) return;
    Block kept;
    Tail tail;
    blocks_.front().visit([&](const Span& span) {
      if (span.end() <= start) {
        dropped(span);
        --count_;
      } else {
        kept.append(span, tail);
      }
      return true;
    });
    blocks_.front() = std::move(kept);
  }

  /// Removes the spans from `base` to `end`, telling `replaced` of each in order, and puts `fresh`
  /// in their place. Both are bounds of spans, and `fresh` covers exactly what lies between.
  template <class Replaced>
  void replace(EditKey key, Offset base, Offset end, std::span<const Span> fresh,
               Replaced&& replaced) {
    std::vector<Span> spans;
    std::size_t first = block_of(base);
    // The block before is taken along if it is not full, so that merging leaves no crumbs.
    if (first > 0 && blocks_[first - 1].count < kBlockSpans / 2) --first;
    std::size_t last = first;
    bool placed = false;
    for (; last < blocks_.size() && blocks_[last].base < end; ++last) {
      blocks_[last].visit([&](const Span& span) {
        bool inside = span.base >= base && span.base < end;
        if (inside) replaced(span);
        if (inside && !placed) spans.insert(spans.end(), fresh.begin(), fresh.end());
        placed = placed || inside;
        if (!inside) spans.push_back(span);
        return true;
      });
    }
    ENSURE(placed);
    set_blocks(key, first, last, spans);
  }

  /// From the span that holds `from` on (or the first, if `from` lies below it), until `visit`
  /// returns false.
  template <class Visit>
  void visit_from(Offset from, Visit&& visit) const {
    for (std::size_t at = block_of(from); at < blocks_.size(); ++at) {
      bool more =
          blocks_[at].visit([&](const Span& span) { return span.end() <= from || visit(span); });
      if (!more) return;
    }
  }
  /// The spans with at least this max timestamp; whole blocks below it are passed over.
  template <class Visit>
  void visit_with_timestamp(std::int64_t timestamp_ms, Visit&& visit) const {
    for (const Block& block : blocks_) {
      if (block.max_timestamp_ms < timestamp_ms) continue;
      bool more = block.visit(
          [&](const Span& span) { return span.max_timestamp_ms < timestamp_ms || visit(span); });
      if (!more) return;
    }
  }
  /// Requires a span.
  std::int64_t max_timestamp_ms() const;
  /// Sum of the hashes of the spans from `base` to `end`; nothing if these are not bounds of spans.
  std::optional<Hash128> digest_of(Offset base, Offset end) const;

 private:
  static constexpr std::uint32_t kBlockSpans = 32;

  /// What the deltas of the next span start from.
  struct Tail {
    std::int64_t timestamp_ms = 0;
    ObjectId object;
    std::int32_t epoch = 0;
    std::uint32_t next_byte = 0;
  };

  struct Block {
    /// Of the first span, and the end of the last.
    Offset base;
    Offset end;
    std::int64_t max_timestamp_ms = 0;
    std::unique_ptr<std::byte[]> bytes;
    std::uint16_t used = 0;
    std::uint16_t capacity = 0;
    std::uint8_t count = 0;

    /// The first span of a block is written as deltas from zero.
    void append(const Span& span, Tail& tail);
    void resize(std::size_t size);
    template <class Visit>
    bool visit(Visit&& visit) const {
      Cursor cursor(*this);
      for (std::uint32_t i = 0; i < count; ++i) {
        if (!visit(cursor.next())) return false;
      }
      return true;
    }
  };

  /// Decodes the spans of a block one after the other.
  class Cursor {
   public:
    explicit Cursor(const Block& block) : bytes_(block.bytes.get(), block.used) {
      span_.base = block.base;
      span_.records = 0;
      span_.max_timestamp_ms = 0;
    }
    const Span& next();

   private:
    std::uint64_t varint();
    std::span<const std::byte> bytes_;
    std::size_t at_ = 0;
    Span span_;
    std::uint32_t next_byte_ = 0;
  };

  /// Writes `spans` anew in the place of the blocks from `first` to before `last`.
  void set_blocks(EditKey, std::size_t first, std::size_t last, std::span<const Span> spans);
  /// The block that holds `from`, or the first one beyond it.
  std::size_t block_of(Offset from) const;

  std::vector<Block> blocks_;
  Tail tail_;
  std::uint32_t count_ = 0;
};

}  // namespace weir::state
