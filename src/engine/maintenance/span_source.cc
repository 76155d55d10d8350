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

bool is_failed(const Result<SharedBytes>& batches) { return !batches; }

/// What one request reads of an object, for spans that follow each other.
struct SpanRange {
  std::size_t first = 0;
  std::size_t count = 0;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

/// `spans`: of one object, in the order of their bytes.
std::vector<SpanRange> ranges_of(const std::vector<state::SpanInfo>& spans) {
  std::vector<SpanRange> ranges;
  for (std::size_t i = 0; i < spans.size(); ++i) {
    std::uint64_t begin = spans[i].first_byte;
    std::uint64_t end = begin + spans[i].bytes;
    bool joins = !ranges.empty() && begin <= ranges.back().end + kMergeGapBytesMax &&
                 std::max(end, ranges.back().end) - ranges.back().begin <= kMergeRangeBytesMax;
    if (!joins) ranges.push_back({i, 0, begin, end});
    ++ranges.back().count;
    ranges.back().end = std::max(end, ranges.back().end);
  }
  return ranges;
}

/// Whether the footer of a segment of `size` bytes lies so near that it is read with the range.
bool reaches_footer(const SpanRange& last, std::uint64_t size) {
  return size >= last.end && size - last.end <= kSegmentGapBytesMax &&
         size - last.begin <= kMergeRangeBytesMax;
}

/// The footer of a segment of `size` bytes, if these bytes of its end hold it whole.
std::optional<SegmentView> footer_in(Bytes end, std::uint64_t size) {
  if (end.size() < kSegmentTrailerBytes) return std::nullopt;
  auto footer = segment_footer_bytes(end.last(kSegmentTrailerBytes), size);
  if (!footer || *footer + kSegmentTrailerBytes > end.size()) return std::nullopt;
  auto view =
      decode_segment_footer(end.last(narrow<std::size_t>(*footer + kSegmentTrailerBytes)), size);
  if (!view) return std::nullopt;
  return std::move(*view);
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
    if (refusals_ >= kMergeRefusalsMax && loaded_.empty()) failure_ = refusal_;
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
  if (!loaded) note_failed(loaded.error());
  --in_flight_;
  room_.notify_one();
}

void SpanSource::note_failed(const Error& error) {
  // What is gone was replaced or dropped by others meanwhile.
  if (error.is(ErrorCode::not_found) || error.is(ErrorCode::precondition)) return;
  if (error.is(ErrorCode::corrupt)) {
    context_.logger.error("merge_source_damaged", {{"error", describe(error)}});
  } else if (error.is(ErrorCode::configuration) || error.is(ErrorCode::unsupported)) {
    context_.logger.error("merge_source_refused", {{"error", describe(error)}});
    ++refusals_;
    refusal_ = error;
  } else {
    failure_ = error;
  }
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

/// Nothing where there is none. Errors: of the store.
rt::Task<Result<std::optional<SegmentView>>> SpanSource::read_footer(state::ObjectRef object) {
  std::string name = segment_name(object);
  std::uint64_t size = object.bytes;
  if (size < kSegmentHeaderBytes + kSegmentTrailerBytes) co_return std::nullopt;
  std::uint64_t from = size - std::min(size, kSegmentTailBytes);
  co_await context_.pacer.take(size - from);
  auto tail = co_await context_.store.get_range(name, from, size - from);
  if (!tail && tail.error().is(ErrorCode::invalid_argument)) co_return std::nullopt;
  if (!tail) co_return std::unexpected(tail.error());
  bytes_read_ += tail->size();
  auto footer = segment_footer_bytes(tail->view().last(kSegmentTrailerBytes), size);
  if (!footer) co_return std::nullopt;
  std::uint64_t need = *footer + kSegmentTrailerBytes;
  if (need <= tail->size()) co_return footer_in(tail->view(), size);
  auto rest = co_await context_.store.get_range(name, size - need, from - (size - need));
  if (!rest) co_return std::unexpected(rest.error());
  bytes_read_ += rest->size();
  BytesChain whole(*rest);
  whole.append(*tail);
  co_return footer_in(whole.flatten().view(), size);
}

rt::Task<Result<void>> SpanSource::load_ranges(const Spans& spans) {
  const state::ObjectRef object = spans.front().object;
  std::string name = segment_name(object);
  std::vector<SpanRange> ranges = ranges_of(spans);
  std::optional<SegmentView> view;
  bool at_end = reaches_footer(ranges.back(), object.bytes);
  bool may_ask_footer = true;
  // The last one first, for the footer may come with it.
  for (std::size_t i = ranges.size(); i-- > 0;) {
    const SpanRange& wanted = ranges[i];
    bool with_footer = at_end && i + 1 == ranges.size();
    std::uint64_t bytes = (with_footer ? object.bytes : wanted.end) - wanted.begin;
    co_await context_.pacer.take(bytes);
    auto range = co_await context_.store.get_range(name, wanted.begin, bytes);
    // Only its end is missing, perhaps.
    if (with_footer && !range && range.error().is(ErrorCode::invalid_argument))
      range = co_await context_.store.get_range(name, wanted.begin, wanted.end - wanted.begin);
    if (!range && range.error().is(ErrorCode::invalid_argument))
      co_return fail(ErrorCode::corrupt, name + " is shorter than its spans");
    if (!range) co_return with_context(range.error(), name);
    bytes_read_ += range->size();
    if (with_footer) view = footer_in(range->view(), object.bytes);
    Block block{std::span(spans).subspan(wanted.first, wanted.count), range->view(), wanted.begin,
                view ? &*view : nullptr};
    auto extracted = co_await off_loop(context_, [&block] { return extract(block); });
    if (!view && may_ask_footer && std::ranges::any_of(extracted, is_failed)) {
      may_ask_footer = false;
      auto footer = co_await read_footer(object);
      if (!footer) {
        for (std::size_t at = 0; at < wanted.count; ++at)
          if (extracted[at]) take(spans[wanted.first + at], std::move(extracted[at]));
        co_return with_context(footer.error(), name);
      }
      view = std::move(*footer);
      block.segment = view ? &*view : nullptr;
      if (view) extracted = co_await off_loop(context_, [&block] { return extract(block); });
    }
    for (std::size_t at = 0; at < wanted.count; ++at)
      take(spans[wanted.first + at], std::move(extracted[at]));
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
