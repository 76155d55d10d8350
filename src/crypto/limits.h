// Limits of the layer `crypto`.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weir::crypto::limits {

/// A peer may name the iteration count; ten million rounds are seconds of work.
inline constexpr std::uint32_t pbkdf2_iterations_max = 10'000'000;
/// Passwords and salts, in bytes; OpenSSL counts both in `int`.
inline constexpr std::size_t pbkdf2_input_bytes_max = std::size_t{1} << 20;
/// Longest text that is decoded.
inline constexpr std::size_t base64_text_bytes_max = std::size_t{64} << 20;

/// Longest PEM text of a key.
inline constexpr std::size_t pem_bytes_max = std::size_t{64} << 10;

}  // namespace weir::crypto::limits
