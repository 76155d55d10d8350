// Limits of the layer `record`.
#pragma once

#include <cstddef>
#include <cstdint>

#include "codec/limits.h"

namespace weir::record::limits {

/// What the records of one batch may take when they are decompressed, unless the caller says less.
inline constexpr std::size_t records_bytes_max = std::size_t{128} << 20;
/// Largest batch that is built. Kafka's length field is a signed 32-bit integer.
inline constexpr std::size_t batch_bytes_max = std::size_t{1} << 30;
/// Errors of single records that are listed for one batch; more are only counted.
inline constexpr std::size_t record_errors_max = 100;

static_assert(records_bytes_max <= codec::limits::output_bytes_max);
static_assert(batch_bytes_max <= codec::limits::input_bytes_max);

}  // namespace weir::record::limits
