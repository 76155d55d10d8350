#include "state/log/span_list.h"

#include <algorithm>
#include <iterator>

#include "base/narrow.h"
#include "state/varint.h"

namespace weir::state {
namespace {

/// Head, epoch, object, bytes, place and timestamp.
constexpr std::size_t kSpanBytesMax = 6 * kVarintBytesMax;
/// Memory of a block grows in steps of this.
constexpr std::size_t kGrowBytes = 48;

}  // namespace

Hash128 Span::hash() const {
  HashWords words;
  words.add(base.value).add(std::uint64_t{bytes} << 32 | static_cast<std::uint32_t>(records));
  words.add(object.value).add(max_timestamp_ms);
  words.add(std::uint64_t{first_byte} << 32 | static_cast<std::uint32_t>(epoch.value));
  return words.finish(UnitKind::span);
}

void SpanList::append(EditKey, const Span& span) {
  if (blocks_.empty() || blocks_.back().count == kBlockSpans) {
    if (!blocks_.empty()) {
      ENSURE(blocks_.back().end == span.base);
      blocks_.back().resize(blocks_.back().used);
    }
    blocks_.emplace_back();
    tail_ = Tail();
  }
  blocks_.back().append(span, tail_);
  ++count_;
}

void SpanList::set_blocks(EditKey, std::size_t first, std::size_t last,
                          std::span<const Span> spans) {
  bool to_the_end = last == blocks_.size();
  for (std::size_t i = first; i < last; ++i) count_ -= blocks_[i].count;
  std::vector<Block> fresh;
  Tail tail;
  for (const Span& span : spans) {
    if (fresh.empty() || fresh.back().count == kBlockSpans) {
      if (!fresh.empty()) fresh.back().resize(fresh.back().used);
      fresh.emplace_back();
      tail = Tail();
    }
    fresh.back().append(span, tail);
  }
  count_ += narrow<std::uint32_t>(spans.size());
  auto at = blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(first),
                          blocks_.begin() + static_cast<std::ptrdiff_t>(last));
  blocks_.insert(at, std::make_move_iterator(fresh.begin()), std::make_move_iterator(fresh.end()));
  if (to_the_end) tail_ = tail;
}

void SpanList::Block::append(const Span& span, Tail& tail) {
  ENSURE(span.records > 0);
  ENSURE(count == 0 || span.base == end);
  std::array<std::byte, kSpanBytesMax> buffer;
  std::size_t size = 0;
  // Almost every span has the epoch of the one before and a younger object of the same kind.
  bool regular = span.epoch.value == tail.epoch && span.object >= tail.object &&
                 span.object.is_segment() == tail.object.is_segment();
  bool same_object = span.object == tail.object;
  put_varint(buffer, size, static_cast<std::uint64_t>(span.records) << 1 | (regular ? 0 : 1));
  if (regular) {
    put_varint(buffer, size, span.object.sequence() - tail.object.sequence());
  } else {
    put_varint(buffer, size, zigzag(std::int64_t{span.epoch.value} - tail.epoch));
    put_varint(buffer, size, span.object.value);
  }
  put_varint(buffer, size, span.bytes);
  std::int64_t expected_byte = same_object ? tail.next_byte : 0;
  put_varint(buffer, size, zigzag(span.first_byte - expected_byte));
  put_varint(buffer, size, zigzag(wrapping_difference(span.max_timestamp_ms, tail.timestamp_ms)));

  if (count == 0) {
    base = span.base;
    max_timestamp_ms = span.max_timestamp_ms;
  }
  if (used + size > capacity) resize((used + size + kGrowBytes - 1) / kGrowBytes * kGrowBytes);
  std::memcpy(std::span(bytes.get(), capacity).subspan(used).data(), buffer.data(), size);
  used = narrow<std::uint16_t>(used + size);
  ++count;
  end = span.end();
  max_timestamp_ms = std::max(max_timestamp_ms, span.max_timestamp_ms);
  tail.timestamp_ms = span.max_timestamp_ms;
  tail.object = span.object;
  tail.epoch = span.epoch.value;
  tail.next_byte = span.first_byte + span.bytes;
}

void SpanList::Block::resize(std::size_t size) {
  if (size == capacity) return;
  auto larger = std::make_unique_for_overwrite<std::byte[]>(size);
  if (used != 0) std::memcpy(larger.get(), bytes.get(), used);
  bytes = std::move(larger);
  capacity = narrow<std::uint16_t>(size);
}

std::uint64_t SpanList::Cursor::varint() {
  std::uint64_t value = 0;
  for (unsigned shift = 0;; shift += 7) {
    auto byte = std::to_integer<std::uint64_t>(bytes_[at_++]);
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
}

const Span& SpanList::Cursor::next() {
  span_.base = span_.end();
  std::uint64_t head = varint();
  span_.records = static_cast<std::int32_t>(head >> 1);
  ObjectId previous = span_.object;
  if ((head & 1) == 0) {
    span_.object = ObjectId::make(previous.sequence() + varint(), previous.is_segment());
  } else {
    span_.epoch = LeaderEpoch(static_cast<std::int32_t>(span_.epoch.value + unzigzag(varint())));
    span_.object = ObjectId{varint()};
  }
  std::int64_t expected_byte = span_.object == previous ? next_byte_ : 0;
  span_.bytes = static_cast<std::uint32_t>(varint());
  span_.first_byte = static_cast<std::uint32_t>(expected_byte + unzigzag(varint()));
  span_.max_timestamp_ms = wrapping_sum(span_.max_timestamp_ms, unzigzag(varint()));
  next_byte_ = span_.first_byte + span_.bytes;
  return span_;
}

std::size_t SpanList::block_of(Offset from) const {
  auto beyond = std::upper_bound(blocks_.begin(), blocks_.end(), from,
                                 [](Offset at, const Block& block) { return at < block.end; });
  return static_cast<std::size_t>(beyond - blocks_.begin());
}

std::optional<Hash128> SpanList::digest_of(Offset base, Offset end) const {
  Hash128 sum;
  Offset next = base;
  visit_from(base, [&](const Span& span) {
    if (span.base != next || span.end() > end) return false;
    sum += span.hash();
    next = span.end();
    return next < end;
  });
  if (next != end || base >= end) return std::nullopt;
  return sum;
}

std::int64_t SpanList::max_timestamp_ms() const {
  ENSURE(!blocks_.empty());
  std::int64_t max = blocks_.front().max_timestamp_ms;
  for (const Block& block : blocks_) max = std::max(max, block.max_timestamp_ms);
  return max;
}

}  // namespace weir::state
