#include "engine/segment_reader.h"

#include <algorithm>

#include "base/narrow.h"
#include "codec/crc32c.h"
#include "engine/limits.h"
#include "engine/off_loop.h"
#include "engine/region_transform.h"
#include "rt/scope.h"
#include "state/entry.h"
#include "state/limits.h"

namespace weir::engine {

/// A range of the segment that is read with one request.
struct SegmentReader::Piece {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  Result<SharedBytes> bytes;

  bool covers(std::uint64_t from, std::uint64_t to) const { return from >= begin && to <= end; }
  SharedBytes part(std::uint64_t from, std::uint64_t to) const {
    return bytes->slice(narrow<std::size_t>(from - begin), narrow<std::size_t>(to - from));
  }
};

namespace {

std::unexpected<Error> corrupt(std::string what) {
  return fail(ErrorCode::corrupt, std::move(what));
}

std::vector<KnownRegion> known(const SegmentView& view) {
  std::vector<KnownRegion> regions;
  regions.reserve(view.regions.size());
  for (const SegmentRegion& r : view.regions)
    regions.push_back({r.at, narrow<std::uint32_t>(r.first_byte), r.stored_bytes, r.crc32c,
                       r.records, r.max_timestamp_ms, r.raw_bytes, r.transform});
  return regions;
}

/// Whether the footer says of the span's place what the state says.
Result<KnownRegion> find_region(const std::vector<KnownRegion>& regions, state::PartitionRef at,
                                const state::SpanInfo& span) {
  auto found = std::ranges::lower_bound(regions, span.first_byte, {}, &KnownRegion::first_byte);
  if (found == regions.end() || found->first_byte != span.first_byte || found->at != at ||
      found->bytes != span.bytes || found->records != span.records ||
      found->max_timestamp_ms != span.max_timestamp_ms)
    return corrupt(
        "the footer names other batches at this place than the log; the object is another one "
        "than was uploaded under this name. Restore it from the same copy as the log");
  return *found;
}

Result<SharedBytes> check_crc(SharedBytes region, std::uint32_t crc) {
  if (codec::crc32c(region.view()) == crc) return region;
  return corrupt("the region does not match the checksum of the footer");
}

}  // namespace

SegmentReader::SegmentReader(Parts parts) : parts_(parts), footers_(kFooterRegionsMax) {}

rt::Task<Result<SharedBytes>> SegmentReader::load(state::PartitionRef at, state::SpanInfo span) {
  if (footers_.find(span.object)) co_return co_await load_known(at, span);
  RegionKey key = RegionKey::of(span.object, 0);
  if (auto under_way = openings_.find(key); under_way != openings_.end()) {
    std::shared_ptr<Opening> opening = under_way->second;
    while (!opening->over)
      co_await opening->done.wait();  // The one who opens has the store's deadline.
    if (footers_.find(span.object)) co_return co_await load_known(at, span);
    // It failed for them; what we need may still be readable, and else we get our own error.
  }
  auto opening = std::make_shared<Opening>(parts_.loop);
  openings_.insert_or_assign(key, opening);
  Result<SharedBytes> region = co_await open_and_load(at, span);
  opening->over = true;
  if (auto own = openings_.find(key); own != openings_.end() && own->second == opening)
    openings_.erase(own);
  opening->done.notify_all();
  co_return region;
}

/// Readers of the tail come before those who read old data.
objstore::ObjectStore& SegmentReader::store_of(const state::ObjectRef& segment) const {
  return segment.born.value + kTailPositions >= parts_.follower.next().value ? parts_.store
                                                                             : parts_.cold_store;
}

rt::Task<void> SegmentReader::read_piece(state::ObjectRef segment, Piece* piece) {
  parts_.requests.add();
  piece->bytes = co_await store_of(segment).get_range(segment_name(segment), piece->begin,
                                                      piece->end - piece->begin);
  if (piece->bytes) {
    parts_.bytes.add(piece->bytes->size());
  } else if (piece->bytes.error().is(ErrorCode::invalid_argument)) {
    // The store has less than was uploaded and confirmed.
    piece->bytes = corrupt("the object was cut: " + piece->bytes.error().message);
  }
}

rt::Task<Result<SharedBytes>> SegmentReader::load_known(state::PartitionRef at,
                                                        state::SpanInfo span) {
  // Looked up before the read: the footer may leave meanwhile.
  Result<KnownRegion> wanted = find_region(*footers_.find(span.object), at, span);
  if (!wanted) co_return std::unexpected(wanted.error());
  Piece piece{span.first_byte, std::uint64_t{span.first_byte} + span.bytes, {}};
  co_await read_piece(span.object, &piece);
  if (!piece.bytes) co_return piece.bytes;
  co_return co_await restore(std::move(*piece.bytes), *wanted);
}

rt::Task<Result<SharedBytes>> SegmentReader::restore(SharedBytes stored, KnownRegion region) {
  Result<SharedBytes> checked = check_crc(std::move(stored), region.crc32c);
  if (!checked || region.transform == RegionTransform::none) co_return checked;
  co_return co_await off_loop(parts_.loop, parts_.workers, [&] {
    return restore_region(*checked, region.transform, region.raw_bytes);
  });
}

Result<void> SegmentReader::check_header(const state::ObjectRef& segment,
                                         const SegmentHeader& header) const {
  const state::State& state = parts_.follower.state();
  if (header.level.value > state::kFeatureLevelNewest)
    return fail(ErrorCode::unsupported, "segment of a later feature level; start a newer program");
  if (header.writer == segment.writer &&
      header.cluster_tag == state::cluster_tag_of(state.cluster_id()))
    return {};
  return corrupt(
      "the header names another cluster or broker than the log; the object is another one than "
      "was uploaded under this name. Restore it from the same copy as the log");
}

rt::Task<Result<SharedBytes>> SegmentReader::open_and_load(state::PartitionRef at,
                                                           state::SpanInfo span) {
  std::uint64_t size = span.object.bytes;
  std::uint64_t first = span.first_byte, end = first + span.bytes;
  if (end + kSegmentTrailerBytes > size || first < kSegmentHeaderBytes)
    co_return corrupt("the span lies outside of the segment");
  std::vector<Piece> pieces;
  std::uint64_t tail =
      std::max<std::uint64_t>(kSegmentHeaderBytes, size - std::min(size, kSegmentTailBytes));
  for (auto [from, to] : {std::pair<std::uint64_t, std::uint64_t>{0, kSegmentHeaderBytes},
                          {std::min(first, tail), std::min(end, size)},
                          {tail, size}}) {
    if (!pieces.empty() && from <= pieces.back().end + kSegmentGapBytesMax)
      pieces.back().end = std::max(pieces.back().end, to);
    else
      pieces.push_back({from, to, {}});
  }
  {
    rt::Scope reads(parts_.loop);
    for (Piece& piece : pieces) reads.spawn(read_piece(span.object, &piece));
    co_await reads.join();
  }
  for (const Piece& piece : pieces)
    if (!piece.bytes) co_return std::unexpected(piece.bytes.error());

  const Piece& last = pieces.back();
  Result<std::uint64_t> footer =
      segment_footer_bytes(last.part(size - kSegmentTrailerBytes, size).view(), size);
  if (!footer) co_return std::unexpected(footer.error());
  std::uint64_t footer_begin = size - kSegmentTrailerBytes - *footer;
  BytesChain ends;
  if (footer_begin < last.begin) {
    Piece rest{footer_begin, last.begin, {}};
    co_await read_piece(span.object, &rest);
    if (!rest.bytes) co_return rest.bytes;
    ends.append(*rest.bytes);
  }
  std::uint64_t from = std::max(footer_begin, last.begin);
  ends.append(last.part(from, size));
  Result<SegmentView> view = decode_segment_ends(pieces.front().part(0, kSegmentHeaderBytes).view(),
                                                 ends.flatten().view(), size);
  if (!view) co_return std::unexpected(view.error());
  Result<void> ours = check_header(span.object, view->header);
  if (!ours) co_return std::unexpected(ours.error());
  std::vector<KnownRegion> regions = known(*view);
  Result<KnownRegion> found = find_region(regions, at, span);
  footers_.insert(span.object, std::move(regions));
  if (!found) co_return std::unexpected(found.error());
  auto holder =
      std::ranges::find_if(pieces, [&](const Piece& piece) { return piece.covers(first, end); });
  ENSURE(holder != pieces.end());
  // A copy unless it was read alone, so that it does not keep its surroundings in memory.
  bool alone =
      (holder->begin == first && holder->end == end) || found->transform != RegionTransform::none;
  SharedBytes region = holder->part(first, end);
  co_return co_await restore(alone ? region : SharedBytes::copy_of(region.view()), *found);
}

}  // namespace weir::engine
