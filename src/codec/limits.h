// Limits of the layer `codec`.
#pragma once

#include <cstddef>

namespace weir::codec::limits {

/// Longest input of one compress or decompress call. Kafka's lengths are signed 32-bit, and several
/// of the libraries count in `int`.
inline constexpr std::size_t input_bytes_max = 0x7fff0000;
/// Largest `size_max` that a caller may ask for.
inline constexpr std::size_t output_bytes_max = 0x7fff0000;

/// What a decompression allocates before it has seen any output, whatever the input claims.
inline constexpr std::size_t output_bytes_first = std::size_t{64} << 10;
/// Beyond that, a claimed length is believed up to this multiple of the input.
inline constexpr std::size_t output_ratio_believed = 16;

/// Uncompressed bytes per block of the framings that Kafka's clients write.
inline constexpr std::size_t xerial_block_bytes = std::size_t{32} << 10;
inline constexpr std::size_t lz4_block_bytes = std::size_t{64} << 10;
static_assert(xerial_block_bytes <= output_bytes_first);
static_assert(lz4_block_bytes <= output_bytes_first);

/// Three bytes of snappy make at most 64 bytes of output; a block that claims more lies.
inline constexpr std::size_t snappy_ratio_max = 22;

/// A zstd frame may ask for a history window of 2^27 bytes (the library's default, and what level
/// 22 of Kafka's clients needs). Memory is touched only as output is written, so that `size_max`
/// bounds it.
inline constexpr int zstd_window_log_max = 27;

}  // namespace weir::codec::limits
