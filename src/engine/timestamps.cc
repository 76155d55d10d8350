#include "engine/timestamps.h"

#include "record/batch_error.h"
#include "record/search.h"

namespace weir::engine {

namespace {

using Match = std::optional<record::TimestampMatch>;

/// The match inside one span, if any.
Result<Match> search_region(const BytesChain& region, const record::TimestampQuery& query,
                            bool max) {
  Match best;
  for (const SharedBytes& part : region.parts()) {
    auto found = max ? record::find_max_timestamp(part.view(), query)
                     : record::find_timestamp(part.view(), query);
    if (!found) return std::unexpected(record::to_error(found.error()));
    if (!*found) continue;
    if (!max) return *found;
    if (!best || (*found)->timestamp > best->timestamp) best = *found;
  }
  return best;
}

}  // namespace

rt::Task<TimestampAnswer> find_timestamp(Follower& follower, Reader& reader, TimestampQuery query) {
  TimestampAnswer answer;
  bool max = query.timestamp_ms == kQueryMaxTimestamp;
  std::int64_t target = query.timestamp_ms;
  Offset from{-1};
  for (;;) {
    // The state may change while a region is read, so each step looks it up again.
    const state::State& state = follower.state();
    std::optional<state::PartitionInfo> info = state.partition(query.at);
    if (!info) {
      answer.refusal = Refusal::unknown_partition;
      co_return answer;
    }
    std::optional<state::SpanInfo> span;
    if (max) {
      span = state.span_with_max_timestamp(query.at);
    } else if (from.value < 0) {
      span = state.first_span_with_timestamp(query.at, target);
    } else {
      state.visit_spans(query.at, from, [&](const state::SpanInfo& next) {
        if (next.max_timestamp_ms < target) return true;
        span = next;
        return false;
      });
    }
    if (!span) co_return answer;
    auto region = co_await reader.region(query.at, *span);
    if (!region) {
      answer.failure = region.error();
      co_return answer;
    }
    record::TimestampQuery search;
    search.target = WallMillis(target);
    search.offset_min = info->start;
    auto match = search_region(*region, search, max);
    if (!match) {
      answer.failure = match.error();
      co_return answer;
    }
    if (*match) {
      answer.offset = (*match)->offset;
      answer.timestamp_ms = (*match)->timestamp.value;
      co_return answer;
    }
    if (max) co_return answer;
    from = Offset(span->base.value + span->records);
    if (from >= info->end) co_return answer;
  }
}

}  // namespace weir::engine
