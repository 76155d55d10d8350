#include "engine/stamp.h"

#include <string>

#include "base/endian.h"
#include "record/batch_view.h"

namespace weir::engine {

void stamp_region(MutableBytes region, Offset base, LeaderEpoch epoch) {
  record::BatchIterator batches(region);
  std::size_t at = 0;
  for (auto next = batches.next(); next && *next; next = batches.next()) {
    MutableBytes batch = region.subspan(at, (*next)->size());
    std::int64_t records = (*next)->last_offset_delta() + std::int64_t{1};
    store_be<std::int64_t>(batch, record::at::base_offset, base.value);
    store_be<std::int32_t>(batch, record::at::leader_epoch, epoch.value);
    base = Offset(base.value + records);
    at = batches.position();
  }
}

Result<void> verify_region(Bytes region, std::int64_t records) {
  record::BatchIterator batches(region);
  std::int64_t found = 0;
  for (;;) {
    std::size_t at = batches.position();
    auto next = batches.next();
    std::string where = "record batch at byte " + std::to_string(at) + " of the region";
    if (!next) return fail(ErrorCode::corrupt, where + " is damaged");
    if (!*next) break;
    if (!(*next)->checksum_ok())
      return fail(ErrorCode::corrupt, where + " does not match its CRC32C");
    found += (*next)->last_offset_delta() + std::int64_t{1};
  }
  if (found != records)
    return fail(ErrorCode::corrupt, "the region holds " + std::to_string(found) +
                                        " offsets instead of " + std::to_string(records));
  return {};
}

}  // namespace weir::engine
