// Sets the checksums of a damaged entry or snapshot right, so that a fuzzer gets past them.
#pragma once

#include "base/bytes.h"

namespace weir::state::testing {

/// Magic, format and checksums of an entry; what else is wrong stays wrong.
void fix_entry(MutableBytes entry);
/// As fix_entry, for a snapshot. The digest cannot be set right.
void fix_snapshot(MutableBytes snapshot);

}  // namespace weir::state::testing
