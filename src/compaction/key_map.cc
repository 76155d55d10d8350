#include "compaction/key_map.h"

#include <algorithm>
#include <cstring>

#include "base/narrow.h"
#include "compaction/limits.h"

namespace weir::compaction {

namespace {

/// Slots for so many keys.
std::size_t slots_for(std::uint64_t keys) { return keys * 100 / limits::key_map_load_percent + 1; }

std::size_t keys_for(std::size_t slots) {
  return std::max<std::size_t>(1, slots * limits::key_map_load_percent / 100);
}

}  // namespace

KeyHash KeyHasher::operator()(Bytes key) {
  crypto::Sha256 digest = sha256_(key);
  KeyHash hash;
  static_assert(sizeof hash <= sizeof digest);
  std::memcpy(hash.data(), digest.data(), sizeof hash);
  return hash;
}

KeyMap::KeyMap(std::size_t bytes_max)
    : slots_max_(std::max<std::size_t>(2, bytes_max / sizeof(Slot))) {}

void KeyMap::reset(Offset base, std::uint64_t keys) {
  base_ = base;
  size_ = 0;
  std::uint64_t wanted = std::min<std::uint64_t>(keys, slots_max_);
  used_slots_ = std::clamp<std::size_t>(slots_for(wanted), 2, slots_max_);
  keys_max_ = std::min(keys_for(used_slots_), used_slots_ - 1);
  slots_.reserve(used_slots_);  // Exactly: a vector that doubles could pass the budget.
  slots_.assign(used_slots_, Slot{});
}

std::size_t KeyMap::find_slot(const KeyHash& key) const {
  std::uint64_t hash = std::uint64_t{key[0]} << 32 | key[1];
  auto at = static_cast<std::size_t>(static_cast<unsigned __int128>(hash) * used_slots_ >> 64);
  while (slots_[at].delta != 0 && slots_[at].key != key) at = at + 1 == used_slots_ ? 0 : at + 1;
  return at;
}

bool KeyMap::put(const KeyHash& key, Offset offset) {
  std::int64_t delta = offset.value - base_.value;
  ENSURE(delta >= 0);
  ENSURE(delta < limits::mapped_offsets_max);
  Slot& slot = slots_[find_slot(key)];
  if (slot.delta == 0) {
    if (size_ >= keys_max_) return false;
    ++size_;
    slot.key = key;
  }
  slot.delta = narrow<std::uint32_t>(delta + 1);
  return true;
}

std::optional<Offset> KeyMap::find(const KeyHash& key) const {
  if (size_ == 0) return std::nullopt;
  const Slot& slot = slots_[find_slot(key)];
  if (slot.delta == 0) return std::nullopt;
  return Offset(base_.value + slot.delta - 1);
}

}  // namespace weir::compaction
