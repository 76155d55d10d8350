// MurmurHash2 as Kafka's Java client uses it: 32 bits, seed 0x9747b28c. Its value decides where
// keyed records go, so every client must agree on it.
#include "client/producer.h"

namespace weir::client {
namespace {

std::uint32_t byte_at(std::string_view text, std::size_t at) {
  return static_cast<std::uint8_t>(text[at]);
}

std::uint32_t murmur2(std::string_view text) {
  constexpr std::uint32_t kMultiplier = 0x5bd1e995;
  auto h = 0x9747b28cu ^ static_cast<std::uint32_t>(text.size());
  std::size_t words = text.size() / 4;
  for (std::size_t i = 0; i < words; ++i) {
    std::uint32_t k = byte_at(text, i * 4) | byte_at(text, i * 4 + 1) << 8 |
                      byte_at(text, i * 4 + 2) << 16 | byte_at(text, i * 4 + 3) << 24;
    k *= kMultiplier;
    k ^= k >> 24;
    k *= kMultiplier;
    h *= kMultiplier;
    h ^= k;
  }
  std::size_t rest = text.size() % 4;
  for (std::size_t i = rest; i > 0; --i) h ^= byte_at(text, words * 4 + i - 1) << (8 * (i - 1));
  if (rest != 0) h *= kMultiplier;
  h ^= h >> 13;
  h *= kMultiplier;
  h ^= h >> 15;
  return h;
}

}  // namespace

PartitionIndex partition_of_key(std::string_view key, std::size_t partitions) {
  ENSURE(partitions > 0);
  return PartitionIndex(static_cast<std::int32_t>((murmur2(key) & 0x7fffffff) % partitions));
}

}  // namespace weir::client
