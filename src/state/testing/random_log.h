// RandomLog: a log that no broker would write, to compare states and to look for crashes.
//
// Most commands are plausible (they name live topics, carry the next counter), some repeat, skip a
// counter, break a rule or are rubbish. What it writes is a function of the seed and of the state
// that it is shown, so a seed replays.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "state/testing/log_builder.h"

namespace weir::state::testing {

class RandomLog {
 public:
  explicit RandomLog(std::uint64_t seed) : random_(seed) {}

  /// The next entry for `state`, which has folded all the ones before.
  SharedBytes next(const State& state);

 private:
  struct Pick {
    EncodedCommand command;
    std::size_t inline_bytes = 0;
  };

  std::uint64_t below(std::uint64_t bound) { return random_() % bound; }
  bool chance(std::uint64_t one_in) { return below(one_in) == 0; }
  CommandGroup group(const State& state, std::uint64_t broker, std::size_t& inline_bytes);
  Pick pick(const State& state, std::uint64_t broker, std::size_t inline_offset);
  Pick append(const State& state, std::size_t inline_offset);
  NewSpan span(const State& state);
  ProducerRun run(const State& state, const PartitionRef& at, std::int32_t records);
  EncodedCommand registration(const State& state);
  EncodedCommand topics(const State& state);
  EncodedCommand configs(const State& state);
  EncodedCommand maintenance(const State& state);
  EncodedCommand replacement(const State& state);
  EncodedCommand digest_report(const State& state);
  EncodedCommand membership(const State& state, std::uint64_t broker);
  PartitionRef some_partition(const State& state);
  const TopicInfo* some_topic(const State& state);
  std::string some_name();

  std::mt19937_64 random_;
  LogBuilder log_;
  std::uint64_t next_id_ = 1;
  /// Generation of each broker number: a new one after its incarnation was forgotten.
  std::array<std::uint64_t, 4> incarnations_{};
  std::vector<CommandGroup> old_groups_;
};

}  // namespace weir::state::testing
