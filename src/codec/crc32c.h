// CRC32C (Castagnoli): the checksum of record batches, regions, footers and log entries.
//
// Computed by ISA-L, which chooses the fastest instructions at run time. A checksum can be
// continued (`previous`) over pieces, and two checksums of neighbours can be combined without
// touching the bytes again.
#pragma once

#include <cstdint>

#include "base/bytes.h"

namespace weir::codec {

/// Of `bytes`; or, if `previous` is the checksum of what stands before them, of both together.
std::uint32_t crc32c(Bytes bytes, std::uint32_t previous = 0);
/// Of all parts in order.
std::uint32_t crc32c(const BytesChain& chain, std::uint32_t previous = 0);

/// The checksum of A followed by B, from those of A and of B, in time logarithmic in B's length.
std::uint32_t crc32c_combine(std::uint32_t crc_a, std::uint32_t crc_b, std::uint64_t size_b);

}  // namespace weir::codec
