#include "state/log/object_table.h"

#include <limits>

#include "base/narrow.h"

namespace weir::state {
namespace {

constexpr std::uint64_t kObjects = InlineChunk::kObjects;

std::uint64_t index_hash(const SegmentName& name) {
  return mix(name.writer.low64() ^ mix(name.counter ^ mix(name.born.value)));
}
std::uint64_t index_hash(ObjectId id) { return mix(id.value); }

}  // namespace

std::uint64_t nonce_tag_of(const Nonce& nonce) {
  std::uint64_t tag = 0;
  for (std::size_t i = 8; i-- > 0;) tag = tag << 8 | nonce.bytes[i];
  return tag;
}

Hash128 Segment::hash() const {
  if (!live_) return {};
  HashWords words;
  words.add(id_.value).add(name_.born.value).add(name_.writer).add(name_.counter);
  words.add(bytes_).add(live_bytes_);
  if (final_) words.add(std::uint64_t{1});
  return words.finish(UnitKind::segment);
}

Hash128 InlineUnit::hash() const {
  if (!live()) return {};
  HashWords words;
  words.add(sequence_).add(chunk_.base.value + object().position_delta);
  words.add(object().nonce_tag).add(std::uint64_t{object().live_bytes});
  return words.finish(UnitKind::inline_object);
}

// --- inline objects ---

InlineChunk* ObjectTable::chunk(std::uint64_t number) const {
  auto at = chunks_.find(number);
  return at == chunks_.end() ? nullptr : at->second.get();
}

std::uint64_t ObjectTable::place_inline(std::uint64_t next, Position position) const {
  const InlineChunk* at = chunk(next / kObjects);
  if (at == nullptr) return next;
  if (position.value - at->base.value <= std::numeric_limits<std::uint32_t>::max()) return next;
  return (next / kObjects + 1) * kObjects;
}

void ObjectTable::add_inline(Ledger& ledger, std::uint64_t sequence, Position position,
                             std::uint64_t nonce_tag, std::uint32_t bytes) {
  InlineChunk* at = chunk(sequence / kObjects);
  restore_inline(ledger, sequence, at == nullptr ? position : at->base, position,
                 {.live_bytes = bytes, .nonce_tag = nonce_tag});
}

void ObjectTable::restore_inline(Ledger& ledger, std::uint64_t sequence, Position chunk_base,
                                 Position position, const InlineObject& object) {
  ENSURE(object.live_bytes > 0);
  std::unique_ptr<InlineChunk>& chunk = chunks_[sequence / kObjects];
  if (chunk == nullptr) {
    chunk = std::make_unique<InlineChunk>();
    chunk->base = chunk_base;
  }
  ledger.edit(InlineUnit(*chunk, sequence), [&](InlineUnit& unit, EditKey key) {
    ENSURE(!unit.live());
    unit.change(key) = object;
    unit.change(key).position_delta = narrow<std::uint32_t>(position.value - chunk->base.value);
  });
  ++chunk->live;
  ++inline_count_;
  inline_bytes_live_ += object.live_bytes;
}

void ObjectTable::grow_inline(Ledger& ledger, std::uint64_t sequence, std::uint32_t bytes) {
  InlineChunk* at = chunk(sequence / kObjects);
  ENSURE(at != nullptr);
  ledger.edit(InlineUnit(*at, sequence), [&](InlineUnit& unit, EditKey key) {
    ENSURE(unit.live());
    InlineObject& object = unit.change(key);
    object.live_bytes = narrow<std::uint32_t>(std::uint64_t{object.live_bytes} + bytes);
  });
  inline_bytes_live_ += bytes;
}

const InlineObject* ObjectTable::find_inline(std::uint64_t sequence) const {
  const InlineChunk* at = chunk(sequence / kObjects);
  if (at == nullptr) return nullptr;
  const InlineObject& object = at->objects[sequence % kObjects];
  return object.live_bytes == 0 ? nullptr : &object;
}

std::optional<Position> ObjectTable::oldest_inline() const {
  for (const auto& [number, chunk] : chunks_) {
    for (const InlineObject& object : chunk->objects) {
      if (object.live_bytes != 0) return Position(chunk->base.value + object.position_delta);
    }
  }
  return std::nullopt;
}

// --- segments ---

Slot ObjectTable::find_segment(const SegmentName& name) const {
  return by_name_.find(index_hash(name), [&](Slot slot) { return segments_[slot].name() == name; });
}

Slot ObjectTable::find_segment(ObjectId id) const {
  return by_id_.find(index_hash(id), [&](Slot slot) { return segments_[slot].id() == id; });
}

Slot ObjectTable::add_segment(Ledger& ledger, ObjectId id, const SegmentName& name,
                              std::uint64_t bytes) {
  Slot slot = segments_.allocate();
  ledger.edit(segments_[slot],
              [&](Segment& segment, EditKey key) { segment.create(key, id, name, bytes); });
  by_name_.insert(index_hash(name), slot,
                  [&](Slot other) { return index_hash(segments_[other].name()); });
  by_id_.insert(index_hash(id), slot,
                [&](Slot other) { return index_hash(segments_[other].id()); });
  awaiting_.insert(id.sequence());
  return slot;
}

void ObjectTable::set_segment_final(Ledger& ledger, Slot slot) {
  ledger.edit(segments_[slot], [](Segment& unit, EditKey key) { unit.set_final(key); });
}

void ObjectTable::set_segment_live(Ledger& ledger, Slot slot, std::uint64_t live_bytes) {
  Segment& segment = segments_[slot];
  if (segment.live_bytes() == live_bytes) return;
  ledger.edit(segment, [&](Segment& unit, EditKey key) { unit.set_live_bytes(key, live_bytes); });
  if (live_bytes == 0) {
    awaiting_.insert(segment.id().sequence());
  } else {
    awaiting_.erase(segment.id().sequence());
  }
}

void ObjectTable::remove_segment(Ledger& ledger, Slot slot) {
  Segment& segment = segments_[slot];
  ENSURE(segment.live_bytes() == 0);
  by_name_.erase(index_hash(segment.name()), slot,
                 [&](Slot other) { return index_hash(segments_[other].name()); });
  by_id_.erase(index_hash(segment.id()), slot,
               [&](Slot other) { return index_hash(segments_[other].id()); });
  awaiting_.erase(segment.id().sequence());
  ledger.edit(segment, [](Segment& unit, EditKey key) { unit.remove(key); });
  segments_.release(slot);
}

// --- both ---

void ObjectTable::release(Ledger& ledger, ObjectId id, std::uint32_t bytes) {
  if (id.is_segment()) {
    Slot slot = find_segment(id);
    ENSURE(slot != kNoSlot);
    ENSURE(segments_[slot].live_bytes() >= bytes);
    set_segment_live(ledger, slot, segments_[slot].live_bytes() - bytes);
    return;
  }
  std::uint64_t number = id.sequence() / kObjects;
  InlineChunk* at = chunk(number);
  ENSURE(at != nullptr);
  bool gone = false;
  ledger.edit(InlineUnit(*at, id.sequence()), [&](InlineUnit& unit, EditKey key) {
    InlineObject& object = unit.change(key);
    ENSURE(object.live_bytes >= bytes);
    object.live_bytes -= bytes;
    gone = object.live_bytes == 0;
  });
  inline_bytes_live_ -= bytes;
  if (!gone) return;
  --inline_count_;
  if (--at->live == 0) chunks_.erase(number);
}

bool ObjectTable::knows(ObjectId id) const {
  return id.is_segment() ? find_segment(id) != kNoSlot : find_inline(id.sequence()) != nullptr;
}

std::uint32_t ObjectTable::inline_live_bytes(ObjectId id) const {
  const InlineObject* object = find_inline(id.sequence());
  ENSURE(object != nullptr);
  return object->live_bytes;
}

ObjectRef ObjectTable::describe(ObjectId id) const {
  ObjectRef ref;
  if (id.is_segment()) {
    Slot slot = find_segment(id);
    ENSURE(slot != kNoSlot);
    const Segment& segment = segments_[slot];
    ref.born = segment.name().born;
    ref.writer = segment.name().writer;
    ref.counter = segment.name().counter;
    ref.bytes = segment.bytes();
    ref.is_final = segment.is_final();
    return ref;
  }
  const InlineObject* object = find_inline(id.sequence());
  ENSURE(object != nullptr);
  ref.is_inline = true;
  ref.position = Position(chunk(id.sequence() / kObjects)->base.value + object->position_delta);
  ref.nonce_tag = object->nonce_tag;
  return ref;
}

}  // namespace weir::state
