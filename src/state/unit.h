// What every unit of the state has in common.
//
// A unit is the grain of change: a topic, a partition, a producer, an object. It has a hash that
// says everything about it (the digest of the state is the sum of them) and a mark that says which
// snapshot has already seen it. Changing methods take an EditKey, which only `Ledger::edit` can
// make, so the compiler refuses a change that would escape digest, snapshot or changed set.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/ensure.h"
#include "base/hash.h"
#include "base/ids.h"

namespace weir::state {

/// The right to change a unit, given for the time of one edit.
class EditKey {
  friend class Ledger;
  EditKey() = default;
};

/// Number of the last snapshot that wrote the unit or knows it is not part of it.
struct SnapshotMark {
  std::uint32_t seen = 0;
};

/// Seeds of the hashes: contracts, never renumbered.
enum class UnitKind : std::uint64_t {
  meta = 1,
  broker = 2,
  broker_configs = 3,
  topic = 4,
  segment = 5,
  inline_object = 6,
  partition = 7,
  producer = 8,
  sequences = 9,
  span = 10,
  resource_configs = 11,
  group = 12,
  group_member = 13,
  group_offset = 14,
  consumer_member = 20,
  clock = 50,
  digest_votes = 51,
};

/// Collects the properties of a unit as little-endian words and hashes them.
class HashWords {
 public:
  HashWords& add(std::uint64_t word) {
    ENSURE(count_ < words_.size());
    if constexpr (std::endian::native == std::endian::big) word = std::byteswap(word);
    words_[count_++] = word;
    return *this;
  }
  HashWords& add(std::int64_t value) { return add(static_cast<std::uint64_t>(value)); }
  HashWords& add(const Hash128& value) { return add(value.low).add(value.high); }
  template <class Tag>
  HashWords& add(const Id128<Tag>& id) {
    std::array<std::uint64_t, 2> words;
    std::memcpy(words.data(), id.bytes.data(), 16);
    if constexpr (std::endian::native == std::endian::big) {
      for (std::uint64_t& word : words) word = std::byteswap(word);
    }
    return add(words[0]).add(words[1]);
  }
  /// Texts by their own hash.
  HashWords& add(std::string_view text) { return add(hash128(weir::as_bytes(text))); }

  Hash128 finish(UnitKind kind) const {
    return hash128(std::as_bytes(std::span(words_).first(count_)),
                   static_cast<std::uint64_t>(kind));
  }

 private:
  std::array<std::uint64_t, 32> words_;
  std::size_t count_ = 0;
};

}  // namespace weir::state
