// Timestamps: ListOffsets by time, at record level.
//
// The state knows each span's greatest timestamp; the first span that reaches the asked time is
// read, and its records decide. A header may promise a time that none of its records has, so the
// search goes on to the next span then.
#pragma once

#include "engine/api.h"
#include "engine/follower.h"
#include "engine/reader.h"

namespace weir::engine {

/// One answer. The partition is known to exist or is refused, without a barrier; the caller runs
/// one first.
rt::Task<TimestampAnswer> find_timestamp(Follower& follower, Reader& reader, TimestampQuery query);

}  // namespace weir::engine
