// Limits of the layer `compaction`.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weir::compaction::limits {

/// Memory of a key map unless its owner says less: Kafka's log.cleaner.dedupe.buffer.size.
inline constexpr std::size_t key_map_bytes = std::size_t{128} << 20;
/// A map that is fuller than this becomes slow (linear probing).
inline constexpr std::size_t key_map_load_percent = 85;
/// Offsets that one run maps: they are kept as 32-bit differences.
inline constexpr std::int64_t mapped_offsets_max = 0xffff'fffe;
/// Below so many dirty bytes a run is not worth its requests (docs/design.md, 11).
inline constexpr std::uint64_t dirty_bytes_min = std::uint64_t{1} << 20;

static_assert(key_map_load_percent < 100, "an empty slot ends a search");

}  // namespace weir::compaction::limits
