// Limits and sizes of the simulation, with units.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/time.h"

namespace weir::sim {

/// What a run has at least.
inline constexpr std::uint64_t kRecordsMin = 10'000;
inline constexpr std::uint64_t kFaultsMin = 20;
inline constexpr Duration kFaultyTime = 60s;
/// After the last fault everything must be well within this time.
inline constexpr Duration kRecoveryMax = 120s;
/// A run that has not sent its records by then is stuck.
inline constexpr Duration kRunMax = 600s;

/// How long a group works in fair weather, all members at once.
inline constexpr Duration kGroupFairTime = 20s;
/// A group that has committed less has seen nothing.
inline constexpr std::uint64_t kGroupCommitsMin = 20;

/// Then the run ends early; and of one kind no more are kept.
inline constexpr std::size_t kFindingsMax = 20;
inline constexpr std::ptrdiff_t kFindingsPerKindMax = 5;
/// As Kafka's max.in.flight.requests.per.connection with idempotence.
inline constexpr std::size_t kBatchesInFlight = 5;

}  // namespace weir::sim
