#include "engine/final_region.h"

#include <algorithm>
#include <string>

#include "base/narrow.h"
#include "record/batch_view.h"

namespace weir::engine {

namespace {

/// Bytes that an item of either list takes at least; bounds the counts before memory is taken.
constexpr std::uint64_t kListItemsMax = 1u << 20;

std::uint64_t unsigned_of(std::int64_t value) { return static_cast<std::uint64_t>(value); }

/// `base` plus a difference that came from a file.
bool add_offset(Offset base, std::uint64_t difference, Offset& out) {
  if (difference > unsigned_of(INT64_MAX) - unsigned_of(base.value)) return false;
  out = Offset(base.value + static_cast<std::int64_t>(difference));
  return true;
}

}  // namespace

FinalRegion describe_final_region(Bytes region, Offset base) {
  FinalRegion described;
  described.base = base;
  record::BatchIterator batches(region);
  std::int64_t max_timestamp = -1;
  std::size_t indexed = 0;
  for (;;) {
    std::size_t at = batches.position();
    auto next = batches.next();
    if (!next || !*next) break;
    const record::BatchView& batch = **next;
    LeaderEpoch epoch = batch.leader_epoch();
    if (described.epochs.empty() || described.epochs.back().epoch != epoch)
      described.epochs.push_back({epoch, batch.base_offset()});
    if (at - indexed >= kIndexEveryBytes) {
      indexed = at;
      described.index.push_back({batch.base_offset(), narrow<std::uint32_t>(at), max_timestamp});
    }
    max_timestamp = std::max(max_timestamp, batch.max_timestamp().value);
  }
  return described;
}

Result<void> verify_final_region(Bytes region, Offset base, Offset end) {
  record::BatchIterator batches(region);
  Offset next_offset = base;
  for (;;) {
    std::size_t at = batches.position();
    auto next = batches.next();
    std::string where = "record batch at byte " + std::to_string(at) + " of the region";
    if (!next) return fail(ErrorCode::corrupt, where + " is damaged");
    if (!*next) break;
    const record::BatchView& batch = **next;
    if (!batch.checksum_ok()) return fail(ErrorCode::corrupt, where + " does not match its CRC32C");
    if (batch.base_offset() < next_offset || batch.last_offset() >= end)
      return fail(
          ErrorCode::corrupt,
          where + " has offset " + std::to_string(batch.base_offset().value) + " out of its place");
    next_offset = batch.last_offset().next();
  }
  if (next_offset != end)
    return fail(ErrorCode::corrupt, "the region ends at offset " +
                                        std::to_string(next_offset.value) + " instead of " +
                                        std::to_string(end.value));
  return {};
}

void write_final_region(serial::Writer& out, const FinalRegion& region) {
  out.uvarint(unsigned_of(region.base.value));
  out.uvarint(region.epochs.size());
  Offset from = region.base;
  for (const FinalRegion::EpochStart& start : region.epochs) {
    out.uvarint(unsigned_of(start.epoch.value));
    out.uvarint(unsigned_of(start.from.value - from.value));
    from = start.from;
  }
  out.uvarint(region.index.size());
  FinalRegion::IndexPoint last{region.base, 0, 0};
  for (const FinalRegion::IndexPoint& point : region.index) {
    out.uvarint(unsigned_of(point.offset.value - last.offset.value));
    out.uvarint(point.first_byte - last.first_byte);
    out.varlong(static_cast<std::int64_t>(unsigned_of(point.max_timestamp_ms) -
                                          unsigned_of(last.max_timestamp_ms)));
    last = point;
  }
}

bool read_final_region(serial::Reader& in, FinalRegion& region) {
  std::uint64_t base = in.uvarint("base_offset");
  std::uint64_t epochs = in.uvarint("epochs");
  if (!in.ok() || base > unsigned_of(INT64_MAX) || epochs > kListItemsMax) return false;
  region.base = Offset(static_cast<std::int64_t>(base));
  Offset from = region.base;
  for (std::uint64_t i = 0; i < epochs; ++i) {
    std::uint64_t epoch = in.uvarint("epoch");
    std::uint64_t difference = in.uvarint("epoch_start");
    if (!in.ok() || epoch > INT32_MAX || !add_offset(from, difference, from)) return false;
    region.epochs.push_back({LeaderEpoch(static_cast<std::int32_t>(epoch)), from});
  }
  std::uint64_t points = in.uvarint("index");
  if (!in.ok() || points > kListItemsMax) return false;
  FinalRegion::IndexPoint last{region.base, 0, 0};
  for (std::uint64_t i = 0; i < points; ++i) {
    std::uint64_t offset = in.uvarint("index_offset");
    std::uint64_t byte = in.uvarint("index_byte");
    std::int64_t time = in.varlong("index_time");
    if (!in.ok() || !add_offset(last.offset, offset, last.offset)) return false;
    if (byte > UINT32_MAX - last.first_byte) return false;
    last.first_byte += static_cast<std::uint32_t>(byte);
    // Wrapping, as all times in a footer: a checksum is no proof of sense.
    last.max_timestamp_ms =
        static_cast<std::int64_t>(unsigned_of(last.max_timestamp_ms) + unsigned_of(time));
    region.index.push_back(last);
  }
  return true;
}

}  // namespace weir::engine
