// The limits of the S3 driver, with units.
#pragma once

#include <cstddef>

#include "base/time.h"
#include "objstore/limits.h"

namespace weir::objstore::s3 {

/// One attempt of a request: this, and a second more for each MiB that it carries.
inline constexpr Duration kRequestTimeout = 20s;
/// Reading an object whose length is not known before, or completing an upload.
inline constexpr Duration kWholeObjectTimeout = 120s;
inline constexpr Duration kConnectTimeout = 3s;
/// Between two attempts to reach the store at the start.
inline constexpr Duration kReachPause = 500ms;
inline constexpr Duration kReachTimeout = 4s;
/// Waiting for credentials, part of nobody's timeout but the caller's.
inline constexpr Duration kCredentialsTimeout = 10s;
/// A refusal, or any answer that is not an object.
inline constexpr std::size_t kAnswerBytesMax = std::size_t{8} << 20;
/// Of what a store says about itself, in messages.
inline constexpr std::size_t kMessageCharsMax = 300;

/// Plain puts over the first size go up in parts of the second, so many at a time. S3 wants parts
/// of 5 MiB at least and allows 10,000 of them.
inline constexpr std::size_t kMultipartBytesMin = std::size_t{64} << 20;
inline constexpr std::size_t kPartBytes = std::size_t{16} << 20;
inline constexpr std::size_t kPartsInFlightMax = 4;
/// What is older was left behind by a process that died.
inline constexpr Duration kUploadStaleAfter = 24h;

/// S3 Express: a session lasts five minutes, and is renewed when less than this is left.
inline constexpr Duration kSessionRenewBefore = 60s;

static_assert(kPartBytes >= std::size_t{5} << 20);
static_assert(kObjectBytesMax / kPartBytes < 10'000);
static_assert(kObjectBytesMax <= std::size_t{5} << 30, "S3 takes no more in one PUT");

}  // namespace weir::objstore::s3
