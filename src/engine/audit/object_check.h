// Checks of single objects, pure: bytes in, findings out.
//
// Shared by `weir verify` and the scrubber. A damaged region is named with its topic, partition and
// first offset where the state knows them; the other regions of the object are checked all the
// same.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "base/bytes.h"
#include "engine/audit/finding.h"
#include "engine/audit/inventory.h"
#include "engine/audit/references.h"
#include "engine/segment.h"
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

/// One segment, region by region, so that a broker may check large ones beside its work. All
/// arguments but the name outlive it.
class SegmentCheck {
 public:
  /// `bytes` is the whole object `name`.
  SegmentCheck(std::string name, Bytes bytes, const Expectation& expected, Findings& findings,
               CheckCounts& counts);
  /// Checks the next part. False: all is done.
  bool step();

 private:
  std::string affected() const;
  void open();
  void finish();
  void report(FindingKind kind, const std::string& what);
  void check_header(const SegmentHeader& header);
  Result<void> check_batches(const SegmentRegion& region) const;
  void check_region_bytes(const SegmentRegion& region);
  void check_span(const SpanUse& span, const SegmentRegion* region);

  std::string name_;
  Bytes bytes_;
  Expectation expected_;
  Findings& findings_;
  CheckCounts& counts_;
  std::multimap<std::uint64_t, const SpanUse*> spans_;
  std::optional<SegmentView> view_;
  std::size_t next_region_ = 0;
  bool opened_ = false;
  bool done_ = false;
};

/// All of it at once. `bytes` is the whole object `name`.
void check_segment(const std::string& name, Bytes bytes, const Expectation& expected,
                   Findings& findings, CheckCounts& counts);

/// `entry` was decoded from the log object `name`; `expected.used` is not null.
void check_inline(const std::string& name, const state::EntryView& entry,
                  const Expectation& expected, Findings& findings, CheckCounts& counts);

}  // namespace weir::engine::audit
