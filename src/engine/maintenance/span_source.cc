#include "engine/maintenance/span_source.h"

#include <algorithm>
#include <cstring>
#include <span>

#include "base/narrow.h"
#include "engine/final_region.h"
#include "engine/limits.h"
#include "engine/region_transform.h"
#include "engine/segment.h"
#include "engine/stamp.h"

namespace weir::engine {

namespace {

RegionKey object_key(const state::SpanInfo& span) { return RegionKey::of(span.object, 0); }

Result<void> verify(const state::SpanInfo& span, Bytes region) {
  if (span.object.is_final)
    return verify_final_region(region, span.base, Offset(span.base.value + span.records));
  return verify_region(region, span.records);
}

/// Where spans lie in a block of memory that was read.
struct Block {
  std::span<const state::SpanInfo> spans;
  Bytes bytes;
  /// Of `bytes`, in the object.
  std::uint64_t begin = 0;
  /// Says how regions are stored; null: as they are.
  const SegmentView* segment = nullptr;
};

/// The batches of a span as they were before they were stored.
Result<SharedBytes> restored(const Block& block, const state::SpanInfo& span) {
  SharedBytes stored = SharedBytes::copy_of(
      block.bytes.subspan(narrow<std::size_t>(span.first_byte - block.begin), span.bytes));
  if (block.segment == nullptr) return stored;
  const std::vector<SegmentRegion>& regions = block.segment->regions;
  auto region = std::ranges::lower_bound(regions, span.first_byte, {}, &SegmentRegion::first_byte);
  if (region == regions.end() || region->first_byte != span.first_byte ||
      region->stored_bytes != span.bytes)
    return stored;
  return restore_region(std::move(stored), region->transform, region->raw_bytes);
}

/// The final batches of each span, in memory of their own. Pure.
std::vector<Result<SharedBytes>> extract(const Block& block) {
  std::vector<Result<SharedBytes>> out;
  out.reserve(block.spans.size());
  for (const state::SpanInfo& span : block.spans) {
    Result<SharedBytes> batches = restored(block, span);
    if (batches)
      if (Result<void> intact = verify(span, batches->view()); !intact)
        batches = std::unexpected(intact.error());
    if (batches && !span.object.is_final)
      stamp_region(batches->mutable_view(), span.base, span.epoch);
    out.push_back(std::move(batches));
  }
  return out;
}

}  // namespace

rt::Task<Result<void>> SpanSource::load(const std::vector<state::SpanInfo>& spans) {
  std::unordered_map<RegionKey, Spans, RegionKeyHash> by_object;
  std::vector<RegionKey> order;
  for (const state::SpanInfo& span : spans) {
    if (take_cached(span)) continue;
    Spans& same = by_object[object_key(span)];
    if (same.empty()) order.push_back(object_key(span));
    same.push_back(span);
  }
  rt::Scope loads(context_.loop);
  for (const RegionKey& key : order) {
    // Loads have the deadlines of the store.
    while (in_flight_ >= kMergeLoadsInFlight) co_await room_.wait();
    if (failure_ || context_.stopping) break;
    ++in_flight_;
    loads.spawn(load_object(std::move(by_object[key])));
  }
  co_await loads.join();
  if (failure_) co_return std::unexpected(*failure_);
  if (context_.stopping) co_return fail(ErrorCode::cancelled, "the broker is stopping");
  co_return Result<void>{};
}

rt::Task<void> SpanSource::load_object(Spans spans) {
  bool is_inline = spans.front().object.is_inline;
  std::sort(spans.begin(), spans.end(), [](const state::SpanInfo& a, const state::SpanInfo& b) {
    return a.first_byte < b.first_byte;
  });
  Result<void> loaded;
  if (is_inline)
    loaded = co_await load_inline(spans);
  else
    loaded = co_await load_ranges(spans);
  // What is gone was replaced or dropped by others meanwhile.
  bool gone = !loaded && (loaded.error().is(ErrorCode::not_found) ||
                          loaded.error().is(ErrorCode::precondition));
  if (!loaded && loaded.error().is(ErrorCode::corrupt))
    context_.logger.error("merge_source_damaged", {{"error", describe(loaded.error())}});
  else if (!loaded && !gone && !failure_)
    failure_ = loaded.error();
  --in_flight_;
  room_.notify_one();
}

rt::Task<Result<void>> SpanSource::load_inline(const Spans& spans) {
  const state::ObjectRef object = spans.front().object;
  std::uint64_t expected = spans.back().first_byte + std::uint64_t{spans.back().bytes};
  co_await context_.pacer.take(expected);
  auto entry = co_await context_.log.read(object.position);
  std::string where =
      context_.log.describe() + " position " + std::to_string(object.position.value);
  if (!entry) co_return with_context(entry.error(), where);
  if (!*entry) co_return fail(ErrorCode::not_found, where);
  bytes_read_ += (*entry)->size();
  auto view = state::decode_entry(**entry);
  if (!view) co_return with_context(view.error(), where);
  std::uint64_t tag = 0;
  std::memcpy(&tag, view->header.nonce.bytes.data(), sizeof tag);
  if (tag != object.nonce_tag) co_return fail(ErrorCode::not_found, where);
  auto section = state::inline_section(*view);
  if (!section) co_return with_context(section.error(), where);
  for (const state::SpanInfo& span : spans)
    if (span.first_byte > section->size() || span.bytes > section->size() - span.first_byte)
      co_return fail(ErrorCode::corrupt, where + " is shorter than its spans");
  Block block{spans, section->view()};
  auto extracted = co_await off_loop(context_, [&block] { return extract(block); });
  for (std::size_t i = 0; i < spans.size(); ++i) take(spans[i], std::move(extracted[i]));
  co_return Result<void>{};
}

/// The footer says how regions are stored. Nothing where it cannot be had: then they are taken as
/// they lie there, and each batch proves itself.
rt::Task<std::optional<SegmentView>> SpanSource::read_footer(state::ObjectRef object) {
  std::string name = segment_name(object);
  std::uint64_t size = object.bytes;
  if (size < kSegmentHeaderBytes + kSegmentTrailerBytes) co_return std::nullopt;
  std::uint64_t from = size - std::min(size, kSegmentTailBytes);
  co_await context_.pacer.take(size - from);
  auto tail = co_await context_.store.get_range(name, from, size - from);
  if (!tail) co_return std::nullopt;
  bytes_read_ += tail->size();
  Bytes trailer = tail->view().last(kSegmentTrailerBytes);
  auto footer = segment_footer_bytes(trailer, size);
  if (!footer) co_return std::nullopt;
  std::uint64_t need = *footer + kSegmentTrailerBytes;
  BytesChain ends(*tail);
  if (need > tail->size()) {
    auto rest = co_await context_.store.get_range(name, size - need, from - (size - need));
    if (!rest) co_return std::nullopt;
    ends = BytesChain(*rest);
    ends.append(*tail);
  }
  SharedBytes whole = ends.flatten();
  auto view = decode_segment_footer(whole.view().last(narrow<std::size_t>(need)), size);
  if (!view) co_return std::nullopt;
  co_return std::move(*view);
}

rt::Task<Result<void>> SpanSource::load_ranges(const Spans& spans) {
  std::string name = segment_name(spans.front().object);
  std::optional<SegmentView> view = co_await read_footer(spans.front().object);
  for (std::size_t first = 0; first < spans.size();) {
    std::uint64_t begin = spans[first].first_byte;
    std::uint64_t end = begin + spans[first].bytes;
    std::size_t last = first + 1;
    for (; last < spans.size() && spans[last].first_byte <= end + kMergeGapBytesMax; ++last) {
      std::uint64_t with_it =
          std::max(end, spans[last].first_byte + std::uint64_t{spans[last].bytes});
      if (with_it - begin > kMergeRangeBytesMax) break;
      end = with_it;
    }
    co_await context_.pacer.take(end - begin);
    auto range = co_await context_.store.get_range(name, begin, end - begin);
    if (!range && range.error().is(ErrorCode::invalid_argument))
      co_return fail(ErrorCode::corrupt, name + " is shorter than its spans");
    if (!range) co_return with_context(range.error(), name);
    bytes_read_ += range->size();
    Block block{std::span(spans).subspan(first, last - first), range->view(), begin,
                view ? &*view : nullptr};
    auto extracted = co_await off_loop(context_, [&block] { return extract(block); });
    for (Result<SharedBytes>& one : extracted) take(spans[first++], std::move(one));
  }
  co_return Result<void>{};
}

void SpanSource::take(const state::SpanInfo& span, Result<SharedBytes> batches) {
  if (batches) {
    loaded_.insert_or_assign(RegionKey::of(span.object, span.first_byte), std::move(*batches));
    return;
  }
  context_.logger.error(
      "merge_source_damaged",
      {{"object", span.object.is_inline ? context_.log.describe() : segment_name(span.object)},
       {"first_byte", span.first_byte},
       {"offset", span.base.value},
       {"error", batches.error().message}});
}

/// What the cache holds has its final offsets already, and was verified when it came.
bool SpanSource::take_cached(const state::SpanInfo& span) {
  RegionKey key = RegionKey::of(span.object, span.first_byte);
  const BytesChain* cached = context_.cache ? context_.cache->peek(key) : nullptr;
  if (cached == nullptr) return false;
  loaded_.insert_or_assign(key, cached->flatten());
  return true;
}

const SharedBytes* SpanSource::find(const state::SpanInfo& span) const {
  auto found = loaded_.find(RegionKey::of(span.object, span.first_byte));
  return found == loaded_.end() ? nullptr : &found->second;
}

}  // namespace weir::engine
