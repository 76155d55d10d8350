// Region transforms: how a region is stored that producers sent uncompressed, where the topic wants
// it (`weir.storage.compression=zstd`). Pure.
//
// The stored form is one zstd frame of the whole region, so batches and their checksums stay as
// they were produced. A region is never stored in less than an eighth of its size (a skippable
// frame fills it up), so whoever counts stored bytes is right about memory within a factor of
// eight, and no region can claim to be more. docs/formats/segment.md is the page.
#pragma once

#include <cstdint>
#include <optional>

#include "base/bytes.h"
#include "base/result.h"
#include "engine/segment.h"
#include "state/limits.h"

namespace weir::engine {

/// Raw bytes for each stored byte, at most.
inline constexpr std::uint32_t kTransformRatioMax = 8;

/// The stored form, or nothing where compression is not worth it: batches that producers have
/// compressed, regions that are small or hardly shrink.
std::optional<SharedBytes> compress_region(const BytesChain& raw);

/// What was produced. `raw_bytes` is what the footer says and is believed only up to
/// kTransformRatioMax. Errors: corrupt, unsupported (a transform of a later program).
Result<SharedBytes> restore_region(SharedBytes stored, RegionTransform transform,
                                   std::uint32_t raw_bytes);

}  // namespace weir::engine
