// SpanAge: when the records of a span were written, as far as their age counts. Pure.
//
// One rule for retention and for compaction: a span is as old as its greatest timestamp, or as its
// commit if that is more than a minute earlier, so that a timestamp in the future does not keep it
// young. The minute is how far clocks of producers and brokers may differ; without it a commit that
// was timed by a slow clock would age its data.
#pragma once

#include <cstdint>
#include <optional>

#include "state/state.h"

namespace weir::engine {

/// When it was committed at the latest; nothing if that cannot be told yet.
std::optional<std::int64_t> committed_ms(const state::State& state, const state::SpanInfo& span);

/// When it was young for the last time; nothing if that cannot be told yet.
std::optional<std::int64_t> written_ms(const state::State& state, const state::SpanInfo& span);

}  // namespace weir::engine
