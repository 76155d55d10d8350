// RandomGroups: commands of groups that no broker would write, one after the other: most are
// plausible for the state they are shown, some name what is gone, break a guard or are rubbish.
//
// What comes next is a function of the seed and of the state, so a seed replays.
#pragma once

#include <array>
#include <cstdint>
#include <random>
#include <string>

#include "state/groups/group.h"
#include "state/testing/log_builder.h"

namespace weir::state::testing {

class RandomGroups {
 public:
  explicit RandomGroups(std::uint64_t seed) : random_(seed) {}

  EncodedCommand next(const State& state);

 private:
  std::uint64_t below(std::uint64_t bound) { return random_() % bound; }
  bool chance(std::uint64_t one_in) { return below(one_in) == 0; }
  std::string some_group() { return "g" + std::to_string(below(4)); }
  /// Null if the group has none.
  const GroupMember* some_member(const State& state, const std::string& group);
  TopicId some_topic() { return topic_id("t" + std::to_string(below(3))); }
  EncodedCommand pick(const State& state);
  EncodedCommand topics(const State& state);
  EncodedCommand join(const State& state);
  EncodedCommand sync(const State& state);
  EncodedCommand leave(const State& state);
  EncodedCommand expire(const State& state);
  EncodedCommand vouch(const State& state);
  EncodedCommand end_phase(const State& state);
  EncodedCommand commit(const State& state);
  EncodedCommand forget(const State& state);

  std::mt19937_64 random_;
  std::uint64_t next_member_ = 1;
};

}  // namespace weir::state::testing
