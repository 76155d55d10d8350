// The limits of the commands.
#pragma once

#include <cstddef>

namespace weir::cli {

inline constexpr std::size_t kInputReadBytes = 64u << 10;
/// A longer line of input is an error, not a record.
inline constexpr std::size_t kLineBytesMax = 64u << 20;
/// Output is handed to the system in pieces of this size.
inline constexpr std::size_t kOutputBufferBytes = 64u << 10;

}  // namespace weir::cli
