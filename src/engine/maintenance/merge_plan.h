// MergePlan: which spans of a partition should be merged. Pure.
//
// Small spans of flushes that follow each other are merged when their window has come
// (merge_survey.h), and later, when enough small merged ones stand side by side, these again, so a
// byte is rewritten once per power of that, and regions of `leave_bytes` and more never. What must
// move is merged however few there are: the flushes of the window, inline data in entries that are
// to be truncated, and what is left alive in segments that are more than half dead. A merged span
// does not cover much more time, and not much more of a partition's bytes, than retention can wait
// for, because spans are dropped whole.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/hash.h"
#include "state/state.h"

namespace weir::engine {

struct MergeRules {
  /// Spans side by side that make a merge worth it.
  std::size_t spans_min = 8;
  /// The same of merged spans in this round; nothing: they stay.
  std::optional<std::size_t> merged_spans_min;
  /// Bytes in memory for one that is stored.
  std::uint64_t memory_weight = 1;
  /// Whether the topic is compacted by key.
  bool is_compacted = false;
  std::size_t leave_bytes = 1u << 20;
  std::size_t region_bytes = 4u << 20;
  /// A run is cut when it holds this much.
  std::size_t run_bytes_max = 64u << 20;
  /// Objects at or past this position are too young, unless they must move.
  Position settled;
  /// Small spans of flushes that were placed before are merged now.
  Position window_end;
  /// Inline data below must move.
  Position inline_must_move;
  /// Greatest difference between timestamps of one merged span; -1: any.
  std::int64_t extent_ms_max = -1;
  /// Segments whose living rest is to be moved.
  std::function<bool(const state::ObjectRef&)> is_half_dead;
  /// Objects that could not be read: what lies there stays for now.
  std::function<bool(const state::ObjectRef&)> is_unreadable;
};

/// Where a span lies in the log, or was the log when its segment was born.
Position place_of(const state::SpanInfo& span);
/// A span as a flush wrote it that should not stay as it is.
bool is_small_flush(const state::SpanInfo& span, const MergeRules& rules);
bool is_unreadable(const state::SpanInfo& span, const MergeRules& rules);
bool is_half_dead(const state::SpanInfo& span, const MergeRules& rules);
/// Spans that follow each other, and what a merge would make of them.
class RunShape {
 public:
  /// Whether the span, which follows the others, may be merged with them.
  bool takes(const state::SpanInfo& span, const MergeRules& rules) const;
  void add(const state::SpanInfo& span, const MergeRules& rules);
  /// Whether that is worth it where `spans_min` spans are: they must become half as many at least,
  /// else the same spans would be rewritten for ever.
  bool is_worth_it(std::size_t spans_min, const MergeRules& rules) const;
  std::size_t spans() const { return spans_; }
  /// As they are stored.
  std::uint64_t bytes() const { return bytes_; }
  bool is_final() const { return is_final_; }

 private:
  std::size_t spans_ = 0;
  std::uint64_t bytes_ = 0;
  bool is_final_ = false;
  std::size_t regions_ = 0;
  /// In memory.
  std::uint64_t last_region_bytes_ = 0;
  std::int64_t youngest_ms_ = -1;
  std::int64_t oldest_ms_ = -1;
};
/// What spans of so many stored bytes take while they are merged or compacted.
std::uint64_t memory_of(std::size_t spans, std::uint64_t bytes, std::uint64_t memory_weight);

struct MergeRun {
  state::PartitionRef at;
  Offset base;
  Offset end;
  std::vector<state::SpanInfo> spans;
  std::uint64_t bytes = 0;
  /// Bound of each region that is made of it, unless one span alone is larger.
  std::size_t region_bytes = 0;
  /// Guard of the replacement.
  Hash128 digest;
  bool is_compacted = false;
};

struct MergePlan {
  std::vector<MergeRun> runs;
  /// Where to go on, if `spans_max` ended the look.
  std::optional<Offset> next;
};

/// Guard of a replacement of exactly these spans; nothing if the state has others there.
std::optional<Hash128> digest_of(const state::State& state, const state::PartitionRef& at,
                                 std::span<const state::SpanInfo> spans);

/// Runs in offset order, looking at no more than `spans_max` spans from `from` on.
MergePlan plan_merge(const state::State& state, const state::PartitionRef& at,
                     const MergeRules& rules, Offset from, std::size_t spans_max);

}  // namespace weir::engine
