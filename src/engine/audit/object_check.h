// Checks of single objects, pure: bytes in, findings out.
//
// Shared by `weir verify` and the scrubber. A damaged region is named with its topic, partition and
// first offset where the state knows them; the other regions of the object are checked all the
// same.
#pragma once

#include <string>

#include "base/bytes.h"
#include "engine/audit/finding.h"
#include "engine/audit/inventory.h"
#include "engine/audit/references.h"
#include "state/entry.h"

namespace weir::engine::audit {

struct CheckCounts {
  std::uint64_t regions = 0;
  std::uint64_t bytes = 0;
};

/// What the state expects of an object. Both outlive the call.
struct Expectation {
  const state::State& state;
  /// Null: only what the object says about itself is checked.
  const UsedObject* used = nullptr;
};

/// `bytes` is the whole object `name`.
void check_segment(const std::string& name, Bytes bytes, const Expectation& expected,
                   Findings& findings, CheckCounts& counts);

/// `entry` was decoded from the log object `name`; `expected.used` is not null.
void check_inline(const std::string& name, const state::EntryView& entry,
                  const Expectation& expected, Findings& findings, CheckCounts& counts);

}  // namespace weir::engine::audit
