#include "engine/maintenance/orphans_job.h"

#include <charconv>

#include "engine/limits.h"
#include "engine/segment.h"

namespace weir::engine {

namespace {

constexpr std::string_view kPrefix = "data/";
/// Two digits and a slash, 20 digits, a dash, 32 digits, a dash.
constexpr std::size_t kBornAt = 3, kWriterAt = 24, kCounterAt = 57;

std::optional<std::uint64_t> number(std::string_view digits) {
  std::uint64_t value = 0;
  auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  bool whole = read.ec == std::errc() && read.ptr == digits.data() + digits.size();
  return whole && !digits.empty() ? std::optional(value) : std::nullopt;
}

}  // namespace

std::optional<ParsedSegmentName> parse_segment_name(std::string_view name) {
  if (!name.starts_with(kPrefix)) return std::nullopt;
  std::string_view rest = name.substr(kPrefix.size());
  if (rest.size() <= kCounterAt) return std::nullopt;
  auto born = number(rest.substr(kBornAt, 20));
  auto counter = number(rest.substr(kCounterAt));
  auto writer = Incarnation::from_hex(rest.substr(kWriterAt, 32));
  if (!born || !counter || !writer) return std::nullopt;
  ParsedSegmentName parsed{Position(*born), *writer, *counter};
  // The hash in the name is part of it.
  if (segment_name(parsed.born, parsed.writer, parsed.counter) != name) return std::nullopt;
  return parsed;
}

OrphansJob::OrphansJob(JobContext& context)
    : context_(context),
      deleted_(context.metrics.counter("weir_orphans_deleted_total",
                                       "Objects that were never committed and were deleted")),
      deleted_bytes_(context.metrics.counter("weir_orphans_deleted_bytes_total",
                                             "Bytes of the orphans that were deleted")),
      foreign_(context.metrics.gauge("weir_foreign_objects",
                                     "Objects below data/ with names that weir does not give")) {}

void OrphansJob::on_folded(const state::EntryView& entry, const state::Folded&) {
  std::size_t brokers = context_.state().brokers().size();
  if (brokers < brokers_) lost_at_ = entry.header.position;
  brokers_ = brokers;
}

bool OrphansJob::is_orphan(const std::string& name) const {
  auto parsed = parse_segment_name(name);
  if (!parsed || parsed->born >= context_.state().horizon()) return false;
  return !context_.state().segment_live_bytes(parsed->born, parsed->writer, parsed->counter);
}

rt::Task<Result<bool>> OrphansJob::run_once() {
  if (!is_mine(context_, "orphans")) co_return false;
  MonoTime now = context_.loop.now();
  bool after_loss = lost_at_ && context_.state().horizon() > *lost_at_;
  if (last_ && now - *last_ < context_.rules().orphans_interval && !after_loss) co_return false;
  foreign_found_ = 0;
  std::string continuation;
  do {
    if (!context_.may_go_on()) co_return false;
    co_await context_.pacer.take(0);
    auto page = co_await context_.store.list(std::string(kPrefix), continuation);
    if (!page) co_return with_context(page.error(), "listing segments");
    continuation = page->next;
    WEIR_CO_TRY(co_await collect(std::move(page->objects)));
  } while (!continuation.empty());
  last_ = now;
  if (after_loss) lost_at_.reset();
  foreign_.set(foreign_found_);
  co_return false;
}

rt::Task<Result<void>> OrphansJob::collect(std::vector<objstore::ObjectInfo> page) {
  std::vector<std::string> orphans;
  std::uint64_t bytes = 0;
  for (const objstore::ObjectInfo& object : page) {
    if (!parse_segment_name(object.name)) ++foreign_found_;
    if (!is_orphan(object.name)) continue;
    orphans.push_back(object.name);
    bytes += object.size;
  }
  if (orphans.empty()) co_return Result<void>{};
  std::size_t count = orphans.size();
  co_await context_.pacer.take(0);
  auto failures = co_await context_.store.remove(std::move(orphans));
  if (!failures) co_return with_context(failures.error(), "deleting orphans");
  for (const auto& [name, error] : *failures)
    context_.logger.warn("orphan_not_deleted", {{"object", name}, {"error", describe(error)}});
  deleted_.add(count - failures->size());
  deleted_bytes_.add(bytes);
  context_.logger.info("orphans_deleted",
                       {{"objects", count - failures->size()}, {"bytes", bytes}});
  co_return Result<void>{};
}

}  // namespace weir::engine
