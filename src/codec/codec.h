// Compression as Kafka's clients write and read it.
//
// Formats: gzip (RFC 1952, several members), snappy (raw, and the framing of Java's snappy-java,
// which Kafka's clients write), lz4 (frame format, several frames), zstd (several frames).
// Decompression is bounded by the caller: however small the input, never more than `size_max` bytes
// of output are made, and memory follows the output, not what the input claims. Every byte of the
// input must belong to the format; rubbish behind it is corrupt.
//
// All functions are pure and may run on any thread.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include "base/bytes.h"
#include "base/result.h"

namespace weir::codec {

/// The values are those of the attribute bits of a record batch.
enum class Codec : std::uint8_t { none = 0, gzip = 1, snappy = 2, lz4 = 3, zstd = 4 };

/// As in Kafka's option `compression.type`; `none` is "none".
std::string_view to_string(Codec codec);
std::optional<Codec> codec_of_name(std::string_view name);
/// From the three low attribute bits; 5, 6 and 7 are not assigned.
std::optional<Codec> codec_of_attribute(unsigned bits);

/// The format's own default level.
inline constexpr int level_default = std::numeric_limits<int>::min();
/// Whether Kafka accepts this level (gzip 1…9 and -1, lz4 1…17, zstd -131072…22; others have none).
bool level_valid(Codec codec, int level);

/// Errors: corrupt; too_large if the output would exceed `size_max`. Codec::none copies.
Result<Buffer> decompress(Codec codec, Bytes input, std::size_t size_max);

/// Errors: invalid_argument for a level that is not valid; too_large. Codec::none copies.
Result<Buffer> compress(Codec codec, Bytes input, int level = level_default);

}  // namespace weir::codec
