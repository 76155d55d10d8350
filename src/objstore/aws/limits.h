// The limits of credentials and their sources.
#pragma once

#include <cstddef>

#include "base/time.h"

namespace weir::objstore::aws {

inline constexpr std::size_t kCredentialAnswerBytesMax = std::size_t{256} << 10;
inline constexpr std::size_t kProcessOutputBytesMax = std::size_t{64} << 10;
inline constexpr Duration kProcessMax = 60s;
/// Roles and source profiles one behind the other.
inline constexpr int kProfileChainMax = 8;
/// A metadata service is next door, or there is none.
inline constexpr Duration kMetadataConnectMax = 1s;
inline constexpr Duration kMetadataMax = 3s;
inline constexpr int kMetadataAttemptsMax = 3;
inline constexpr Duration kTokenServiceMax = 15s;

}  // namespace weir::objstore::aws
