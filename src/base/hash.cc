#include "base/hash.h"

#include <bit>
#include <cstring>

#include <bit>
#include <cstring>

namespace weir {
namespace {

constexpr std::uint64_t kMix0 = 0x9e3779b97f4a7c15u;
constexpr std::uint64_t kMix1 = 0xd6e8feb86659fd93u;
constexpr std::uint64_t kMix2 = 0xa0761d6478bd642fu;

/// Eight bytes, little-endian; what is missing at the end counts as zero.
std::uint64_t word_at(Bytes bytes, std::size_t at) {
  std::uint64_t word = 0;
  if (bytes.size() - at >= 8) {
    std::memcpy(&word, bytes.subspan(at).data(), 8);
    return std::endian::native == std::endian::little ? word : std::byteswap(word);
  }
  std::size_t length = bytes.size() - at < 8 ? bytes.size() - at : 8;
  if (std::endian::native == std::endian::little && length == 8) [[likely]] {
    std::memcpy(&word, bytes.subspan(at).data(), 8);
    return word;
  }
  for (std::size_t i = 0; i < length; ++i)
    word |= std::to_integer<std::uint64_t>(bytes[at + i]) << (8 * i);
  return word;
}

std::uint64_t fold_multiply(std::uint64_t a, std::uint64_t b) {
  unsigned __int128 product = static_cast<unsigned __int128>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

std::uint64_t finish(std::uint64_t h) {
  h ^= h >> 32;
  h *= kMix1;
  h ^= h >> 29;
  h *= kMix0;
  return h ^ (h >> 32);
}

}  // namespace

Hash128& Hash128::operator+=(const Hash128& other) {
  low += other.low;
  high += other.high + (low < other.low ? 1 : 0);
  return *this;
}

Hash128& Hash128::operator-=(const Hash128& other) {
  std::uint64_t borrow = low < other.low ? 1 : 0;
  low -= other.low;
  high -= other.high + borrow;
  return *this;
}

Hash128 hash128(Bytes bytes, std::uint64_t seed) {
  std::uint64_t a = seed ^ kMix0 ^ bytes.size();
  std::uint64_t b = seed ^ kMix2;
  for (std::size_t at = 0; at < bytes.size(); at += 8) {
    std::uint64_t word = word_at(bytes, at);
    a = fold_multiply(a ^ word, kMix1) + b;
    b = fold_multiply(b ^ word ^ kMix0, kMix2) ^ (a >> 7);
  }
  return {finish(a), finish(b + a)};
}

std::uint64_t hash64(Bytes bytes, std::uint64_t seed) { return hash128(bytes, seed).low; }

}  // namespace weir
