// Hashes whose value is part of a contract: the state digest and rendezvous hashing.
//
// Both must give the same value on every broker, build and platform for ever, so they are defined
// here by arithmetic (64x64 -> 128 multiply and fold, little-endian words) and pinned by tests. Not
// for hash tables that an attacker can fill, and not cryptographic.
#pragma once

#include <cstdint>

#include "base/bytes.h"

namespace weir {

/// 128-bit value that adds up: the digest of a set is the sum of the hashes of its items, in any
/// order.
struct Hash128 {
  std::uint64_t low = 0;
  std::uint64_t high = 0;

  friend bool operator==(const Hash128&, const Hash128&) = default;
  Hash128& operator+=(const Hash128& other);
  Hash128& operator-=(const Hash128& other);
};

Hash128 hash128(Bytes bytes, std::uint64_t seed = 0);
std::uint64_t hash64(Bytes bytes, std::uint64_t seed = 0);

/// Weight of `candidate` for `key`; the candidate with the greatest weight owns the key.
inline std::uint64_t rendezvous_weight(Bytes key, Bytes candidate) {
  return hash64(key, hash64(candidate));
}

}  // namespace weir
