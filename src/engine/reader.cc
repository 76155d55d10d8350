#include "engine/reader.h"

#include <cstring>

#include "engine/limits.h"
#include "engine/segment.h"
#include "engine/stamp.h"
#include "record/batch_view.h"

namespace weir::engine {

namespace {

/// Names the inline section of an entry among the loads.
constexpr std::uint64_t kWholeSection = ~0ull;

std::string describe_object(const state::ObjectRef& object, const commitlog::CommitLog& log) {
  if (object.is_inline)
    return log.describe() + " position " + std::to_string(object.position.value);
  return segment_name(object);
}

}  // namespace

bool append_batches(const BytesChain& region, const Reader::Range& range, BytesChain& out) {
  for (const SharedBytes& part : region.parts()) {
    record::BatchIterator batches(part.view());
    std::size_t first = 0, end = 0;
    bool any = false, more = true;
    for (;;) {
      std::size_t at = batches.position();
      auto next = batches.next();
      if (!next || !*next) break;
      if ((*next)->last_offset() < range.from) continue;
      std::size_t size = (*next)->size();
      bool fits = out.size() + (end - first) + size <= range.bytes_max;
      bool is_first = out.empty() && !any;
      if ((*next)->base_offset() >= range.before ||
          (!fits && !(is_first && range.first_batch_always))) {
        more = false;
        break;
      }
      if (!any) first = at;
      any = true;
      end = at + size;
    }
    if (any) out.append(part.slice(first, end - first));
    if (!more) return false;
  }
  return out.size() < range.bytes_max;
}

Reader::Reader(Parts parts)
    : parts_(parts),
      slot_free_(parts.loop),
      loads_total_(
          parts.metrics.counter("weir_reader_loads_total", "Reads of objects for fetches")),
      load_bytes_(parts.metrics.counter("weir_reader_load_bytes_total",
                                        "Bytes read from objects for fetches")),
      corrupt_regions_(parts.metrics.counter("weir_reader_corrupt_regions_total",
                                             "Regions whose bytes did not match their checksums")),
      segments_({parts.loop, parts.store, parts.cold_store, parts.follower, parts.workers,
                 loads_total_, load_bytes_}) {}

rt::Task<Result<BytesChain>> Reader::read(Range range) {
  auto records = co_await read_once(range);
  if (records || !records.error().is(ErrorCode::not_found)) co_return records;
  // A peer has replaced the object since we folded; what replaced it is in the log by now.
  WEIR_CO_TRY(co_await parts_.follower.barrier(parts_.loop.now() + 5s));
  records = co_await read_once(range);
  if (!records && records.error().is(ErrorCode::not_found)) {
    parts_.logger.error("object_missing", {{"topic_id", range.at.topic.hex()},
                                           {"partition", range.at.partition.value},
                                           {"offset", range.from.value},
                                           {"error", records.error().message}});
    co_return fail(ErrorCode::unavailable,
                   records.error().message + "; the object is missing from the store");
  }
  co_return records;
}

std::vector<state::SpanInfo> Reader::spans_of(const Range& range) const {
  std::vector<state::SpanInfo> spans;
  std::size_t planned = 0;
  parts_.follower.state().visit_spans(range.at, range.from, [&](const state::SpanInfo& span) {
    if (span.base >= range.before) return false;
    spans.push_back(span);
    planned += span.bytes;
    return planned < range.bytes_max;
  });
  return spans;
}

rt::Task<void> Reader::warm(std::vector<Range> ranges) {
  rt::Scope loads(parts_.loop);
  for (const Range& range : ranges) {
    for (const state::SpanInfo& span : spans_of(range)) {
      if (parts_.cache.holds(RegionKey::of(span.object, span.first_byte))) continue;
      if (loads.running() >= kWarmRegionsMax) break;
      loads.spawn(warm_one(range.at, span));
    }
  }
  co_await loads.join();
}

rt::Task<void> Reader::warm_one(PartitionRef at, state::SpanInfo span) {
  auto loaded = co_await region(at, span);
  (void)loaded;  // The read that needs it meets the same error and reports it.
}

rt::Task<Result<BytesChain>> Reader::read_once(const Range& range) {
  std::vector<state::SpanInfo> spans = spans_of(range);
  // The log may have lost its beginning while an earlier try waited.
  if (!spans.empty() && spans.front().base > range.from)
    co_return fail(ErrorCode::not_found, "the partition starts at offset " +
                                             std::to_string(spans.front().base.value) + " by now");
  BytesChain out;
  for (const state::SpanInfo& span : spans) {
    auto found = co_await region(range.at, span);
    if (!found) {
      // What was read before the damage is still good; the next fetch begins at the damage and is
      // told.
      if (!out.empty()) break;
      co_return std::unexpected(found.error());
    }
    if (!append_batches(*found, range, out)) break;
  }
  co_return out;
}

rt::Task<Result<BytesChain>> Reader::region(PartitionRef at, state::SpanInfo span) {
  RegionKey key = RegionKey::of(span.object, span.first_byte);
  if (const BytesChain* cached = parts_.cache.find(key)) co_return *cached;
  auto bytes = co_await load(at, span);
  if (!bytes && bytes.error().is(ErrorCode::corrupt))
    co_return report_corrupt(at, span, bytes.error());
  if (!bytes) co_return std::unexpected(bytes.error());
  // Another waiter of the same load may have been first: a region is stamped once.
  if (const BytesChain* cached = parts_.cache.find(key)) co_return *cached;
  bool is_final = span.object.is_final;
  Result<void> intact = is_final ? verify_final_region(bytes->view(), span.base,
                                                       Offset(span.base.value + span.records))
                                 : verify_region(bytes->view(), span.records);
  if (!intact) co_return report_corrupt(at, span, intact.error());
  if (!is_final) stamp_region(bytes->mutable_view(), span.base, span.epoch);
  parts_.cache.insert(key, *bytes, Cache::Age::catch_up);
  co_return BytesChain(std::move(*bytes));
}

std::unexpected<Error> Reader::report_corrupt(PartitionRef at, const state::SpanInfo& span,
                                              const Error& error) {
  corrupt_regions_.add();
  std::string where = describe_object(span.object, parts_.log);
  parts_.logger.error("corrupt_region", {{"object", where},
                                         {"first_byte", span.first_byte},
                                         {"bytes", span.bytes},
                                         {"topic_id", at.topic.hex()},
                                         {"partition", at.partition.value},
                                         {"offset", span.base.value},
                                         {"error", error.message}});
  return with_context(error, where);
}

rt::Task<Result<SharedBytes>> Reader::load(PartitionRef at, const state::SpanInfo& span) {
  std::uint64_t first_byte = span.first_byte;
  std::size_t size = span.bytes;
  RegionKey key = RegionKey::of(span.object, span.object.is_inline ? kWholeSection : first_byte);
  std::shared_ptr<Load> load;
  auto under_way = loads_.find(key);
  if (under_way != loads_.end()) {
    load = under_way->second;
    while (!load->result)
      co_await load->done.wait();  // The one who loads has the store's deadline.
  } else {
    load = std::make_shared<Load>(parts_.loop);
    loads_.emplace(key, load);
    co_await take_slot();
    load->result = span.object.is_inline ? co_await load_inline_section(span.object)
                                         : co_await load_segment_region(at, span);
    give_slot();
    loads_.erase(key);
    load->done.notify_all();
  }
  if (!*load->result) co_return std::unexpected(load->result->error());
  const SharedBytes& loaded = **load->result;
  if (!span.object.is_inline) co_return loaded;
  if (first_byte > loaded.size() || size > loaded.size() - first_byte)
    co_return fail(ErrorCode::corrupt, "the entry is shorter than its spans");
  // A copy, so that one small region in the cache does not hold the memory of a whole entry.
  co_return SharedBytes::copy_of(loaded.slice(first_byte, size).view());
}

rt::Task<Result<SharedBytes>> Reader::load_segment_region(PartitionRef at, state::SpanInfo span) {
  auto bytes = co_await segments_.load(at, span);
  if (!bytes && !bytes.error().is(ErrorCode::corrupt))
    co_return with_context(bytes.error(), segment_name(span.object));
  co_return bytes;
}

rt::Task<Result<SharedBytes>> Reader::load_inline_section(state::ObjectRef object) {
  std::string where = describe_object(object, parts_.log);
  auto entry = co_await parts_.log.read(object.position);
  loads_total_.add();
  // Truncated: its data has been moved to a segment, as the log says by now.
  if (!entry && entry.error().is(ErrorCode::precondition))
    co_return fail(ErrorCode::not_found, where + " is below the floor");
  if (!entry) co_return with_context(entry.error(), where);
  if (!*entry) co_return fail(ErrorCode::not_found, where + " is absent");
  load_bytes_.add((*entry)->size());
  auto view = state::decode_entry(**entry);
  if (!view) co_return with_context(view.error(), where);
  std::uint64_t tag = 0;
  std::memcpy(&tag, view->header.nonce.bytes.data(), sizeof tag);
  if (tag != object.nonce_tag)
    co_return fail(ErrorCode::not_found, where + " is another entry now");
  auto section = state::inline_section(*view);
  if (!section) co_return with_context(section.error(), where);
  co_return section;
}

rt::Task<void> Reader::take_slot() {
  while (in_flight_ >= kLoadsInFlightMax)
    co_await slot_free_.wait();  // Freed by loads, which have deadlines.
  ++in_flight_;
}

void Reader::give_slot() {
  --in_flight_;
  slot_free_.notify_one();
}

}  // namespace weir::engine
