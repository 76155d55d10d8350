// Limits of decoding and encoding. What a peer sends is bounded here before memory is taken for it.
#pragma once

#include <cstddef>

namespace weir::serial {

/// Kafka's own bound: a string has at most 2^15 - 1 bytes in either form.
inline constexpr std::size_t kStringBytesMax = 32767;
/// Bytes that decoded arrays and strings of one message may take in memory, unless the caller of
/// Reader sets another budget. A frame of two-byte elements would otherwise grow thirtyfold.
inline constexpr std::size_t kDecodedBytesMax = std::size_t{64} << 20;
/// Bytes of one encoded array, bytes or records field: its length is an int32 on the wire.
inline constexpr std::size_t kFieldBytesMax = 0x7fffffff;
/// Nesting of structs in a message; asserted by the generated code at compile time, so decoding
/// needs no counter.
inline constexpr int kDepthMax = 8;
/// Owned memory of a Writer grows in chunks from the first size to the last, doubling.
inline constexpr std::size_t kChunkBytesMin = 256;
inline constexpr std::size_t kChunkBytesMax = std::size_t{64} << 10;

static_assert(kChunkBytesMin >= 16, "a placeholder or an id must fit one chunk");

}  // namespace weir::serial
