#include "engine/maintenance/replacement.h"

#include <algorithm>
#include <utility>

#include "base/narrow.h"
#include "codec/crc32c.h"
#include "engine/flush_compression.h"
#include "engine/limits.h"
#include "engine/region_transform.h"
#include "record/batch_view.h"
#include "state/entry.h"

namespace weir::engine {

namespace {

constexpr Duration kUploadRetryPause = 200ms;
/// Uploads that were too slow for the horizon are made again.
constexpr int kCommitAttemptsMax = 3;

struct BatchFacts {
  std::int32_t batches = 0;
  std::int64_t min_timestamp_ms = -1;
  std::int64_t max_timestamp_ms = -1;
};

BatchFacts facts_of(Bytes region) {
  BatchFacts facts;
  record::BatchIterator batches(region);
  for (auto next = batches.next(); next && *next; next = batches.next()) {
    std::int64_t last = (*next)->max_timestamp().value;
    // A delete horizon stands where the base timestamp was, and an empty batch has none.
    bool told = !(*next)->has_delete_horizon() && (*next)->record_count() > 0;
    std::int64_t first = told ? std::min((*next)->base_timestamp().value, last) : last;
    facts.min_timestamp_ms = facts.batches == 0 ? first : std::min(facts.min_timestamp_ms, first);
    facts.max_timestamp_ms = std::max(facts.max_timestamp_ms, last);
    ++facts.batches;
  }
  return facts;
}

/// What all attempts share.
struct Content {
  BytesChain data;
  std::vector<SegmentRegion> regions;
  state::command::ReplaceSpans command;
};

/// Long work, and pure. Each region becomes one block of memory, and its pieces are freed.
/// `compressed`: of each run, whether its topic wants it stored so.
Content lay_out(std::vector<ReplacementRun>& runs, const std::vector<std::string>& topic_names,
                const std::vector<bool>& compressed) {
  Content content;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    ReplacementRun& run = runs[i];
    auto& replaced = content.command.runs.emplace_back();
    replaced.topic_id = run.at.topic;
    replaced.partition = run.at.partition.value;
    replaced.base_offset = run.spans.front().base.value;
    replaced.end_offset = run.spans.back().end.value;
    replaced.old_digest_low = static_cast<std::int64_t>(run.old_digest.low);
    replaced.old_digest_high = static_cast<std::int64_t>(run.old_digest.high);
    replaced.compacted_to = run.compacted_to.value;
    for (FinalSpan& span : run.spans) {
      SharedBytes bytes = std::exchange(span.batches, {}).flatten();
      BatchFacts facts = facts_of(bytes.view());
      SegmentRegion region;
      region.at = run.at;
      region.topic_name = topic_names[i];
      region.stored_bytes = region.raw_bytes = narrow<std::uint32_t>(bytes.size());
      SharedBytes stored = bytes;
      auto shrunk = compressed[i] ? compress_region(BytesChain(bytes)) : std::nullopt;
      if (shrunk) {
        stored = std::move(*shrunk);
        region.transform = RegionTransform::zstd;
        region.stored_bytes = narrow<std::uint32_t>(stored.size());
      }
      region.records = span.end.value - span.base.value;
      region.batches = facts.batches;
      region.min_timestamp_ms = facts.min_timestamp_ms;
      region.max_timestamp_ms = facts.max_timestamp_ms;
      region.crc32c = codec::crc32c(stored.view());
      region.final_region = describe_final_region(bytes.view(), span.base);
      replaced.spans.push_back(
          {region.records, narrow<std::int64_t>(stored.size()), facts.max_timestamp_ms});
      content.regions.push_back(std::move(region));
      content.data.append(std::move(stored));
    }
  }
  return content;
}

/// The segment and the command that names it, but for the name.
struct Built {
  BytesChain segment;
  state::command::ReplaceSpans command;
};

Built build(const SegmentHeader& header, const Content& content) {
  Built built{encode_segment(header, content.regions, content.data), content.command};
  built.command.first_byte = kSegmentHeaderBytes;
  built.command.segment_bytes = narrow<std::int64_t>(built.segment.size());
  return built;
}

/// Under a fresh name each time: an upload whose answer was lost may still arrive, as an orphan.
rt::Task<Result<void>> upload(JobContext& context, Built& built) {
  for (int attempt = 1;; ++attempt) {
    Position born = context.state().position().value_or(Position(0));
    std::uint64_t counter = context.proposer.next_object_number();
    std::string name = segment_name(born, context.proposer.incarnation(), counter);
    co_await context.pacer.take(built.segment.size());
    auto put = co_await context.store.put(name, built.segment);
    if (put) {
      built.command.segment_born_position = narrow<std::int64_t>(born.value);
      built.command.segment_counter = narrow<std::int64_t>(counter);
      co_return Result<void>{};
    }
    if (attempt >= kUploadAttemptsMax || context.stopping)
      co_return with_context(put.error(), name);
    co_await rt::sleep_for(context.loop, kUploadRetryPause * attempt);
  }
}

}  // namespace

rt::Task<Result<ReplacementOutcome>> commit_replacement(JobContext& context,
                                                        std::vector<ReplacementRun> runs) {
  const state::State& state = context.state();
  CompressionWishes wishes{state, context.configs};
  std::vector<std::string> names;
  std::vector<bool> compressed;
  for (const ReplacementRun& run : runs) {
    const state::TopicInfo* topic = state.topic(run.at.topic);
    names.push_back(topic ? topic->name : "");
    compressed.push_back(wishes.of(run.at.topic));
  }
  Content content = co_await off_loop(context, [&] { return lay_out(runs, names, compressed); });
  Result<state::CommandOutcome> outcome;
  ReplacementOutcome result;
  for (int attempt = 1; attempt <= kCommitAttemptsMax; ++attempt) {
    // The segment's header names its writer, which changes when this broker was expired.
    Incarnation writer = context.proposer.incarnation();
    SegmentHeader header;
    header.cluster_tag = state::cluster_tag_of(state.cluster_id());
    header.writer = writer;
    header.level = state.level();
    Built built = co_await off_loop(context, [&] { return build(header, content); });
    result.segment_bytes = built.segment.size();
    WEIR_CO_TRY(co_await upload(context, built));
    if (writer != context.proposer.incarnation()) continue;
    Proposal proposal = make_proposal(built.command);
    proposal.names_own_object = true;
    outcome = co_await context.proposer.propose(std::move(proposal),
                                                context.loop.now() + kJobProposeWait);
    if (!outcome) co_return with_context(outcome.error(), "replacing spans");
    bool again = outcome->refusal == Refusal::born_before_horizon ||
                 outcome->refusal == Refusal::not_registered;
    if (again) continue;
    if (outcome->refusal != Refusal::none || outcome->items.size() != runs.size())
      co_return fail(ErrorCode::internal, "the replacement of spans was refused: " +
                                              std::string(to_string(outcome->refusal)));
    for (const state::ItemOutcome& item : outcome->items) result.runs.push_back(item.refusal);
    co_return result;
  }
  co_return fail(ErrorCode::unavailable,
                 "the segment of a merge was not committed in time; it is made again later");
}

}  // namespace weir::engine
