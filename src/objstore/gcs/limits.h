// The limits of the Google Cloud Storage driver.
#pragma once

#include <cstddef>

#include "base/time.h"

namespace weir::objstore::gcs {

/// One request: base, and time for its bytes.
inline constexpr Duration kRequestMax = 20s;
inline constexpr std::uint64_t kBytesPerSecondMin = 1'000'000;
/// Answers that are not objects: a page of 1,000 objects is about 1 MiB.
inline constexpr std::size_t kAnswerBytesMax = std::size_t{4} << 20;
/// Deletions of one call beside each other.
inline constexpr std::size_t kRemovesInFlight = 16;
/// The store takes about one write a second of one name.
inline constexpr Duration kSameNameGap = 1s;
inline constexpr std::size_t kPacedNamesMax = 4'096;
inline constexpr Duration kTokenWaitMax = 10s;
inline constexpr Duration kTokenServiceMax = 15s;
inline constexpr Duration kMetadataMax = 3s;
inline constexpr Duration kMetadataConnectMax = 1s;
inline constexpr Duration kJwtLife = 1h;
/// Of a store's own words in our messages.
inline constexpr std::size_t kMessageCharsMax = 300;

}  // namespace weir::objstore::gcs
