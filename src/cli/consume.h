// What `weir consume` does with and without a group: the plan, and printing within it.
#pragma once

#include <optional>
#include <vector>

#include "cli/stream_commands.h"

namespace weir::cli {

/// What the options ask for.
struct ConsumePlan {
  Place from;
  /// Nothing = follow for ever.
  std::optional<Place> to;
  std::vector<PartitionIndex> partitions;
  std::optional<std::int64_t> count;
  RecordPrinter printer;
};

/// An end that no record reaches.
inline constexpr Offset kNoEnd{INT64_MAX};

struct Printed {
  /// As many as were asked for, or nobody reads any more.
  bool enough = false;
  /// After the last record that was printed, or all that was fetched.
  Offset next;
};
/// Prints what was fetched of one partition below `end`; adds to `count`.
Result<Printed> print_records(Session& session, const ConsumePlan& plan,
                              const client::Fetched& fetched, Offset end, std::int64_t& count);

/// As a member of the group that --group names: printed records are committed.
rt::Task<Result<void>> consume_in_group(Session& session, const ConsumePlan& plan);

}  // namespace weir::cli
