// Dropping spans: the partition loses them, their objects lose live bytes.
#pragma once

#include "base/ids.h"
#include "state/slab.h"
#include "state/tables.h"

namespace weir::state {

/// `start` must lie between the partition's start and its end.
void drop_below(Tables& tables, Slot partition, Offset start);
/// The partition is gone; its slot is released by its topic.
void drop_partition(Tables& tables, Slot partition);

}  // namespace weir::state
