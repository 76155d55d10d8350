#include "state/log/partition.h"

namespace weir::state {

Hash128 Partition::hash() const {
  if (!live_) return {};
  HashWords words;
  words.add(ref_.topic).add(std::int64_t{ref_.partition.value}).add(start_.value).add(end_.value);
  words.add(bytes_).add(max_timestamp_ms_).add(spans_digest_);
  if (compacted_to_.value >= 0) words.add(compacted_to_.value);
  return words.finish(UnitKind::partition);
}

}  // namespace weir::state
