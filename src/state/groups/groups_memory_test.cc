// What groups take in memory: the goal, measured at the allocator (docs/design.md, 5 and 15).
#include <gtest/gtest.h>
#include <malloc.h>

#include "state/commands/commit_offsets.h"
#include "state/commands/end_phase.h"
#include "state/commands/join_group.h"
#include "state/commands/sync_group.h"
#include "state/groups/group_table.h"
#include "state/testing/log_builder.h"

namespace weir::state {
namespace {

using testing::broker_id;
using testing::Cluster;
using testing::encoded;
using testing::id_of;

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer)
#define WEIR_ALLOCATOR_IS_REPLACED
#endif
#endif

constexpr int kGroups = 10'000;
constexpr int kMembers = 10;

std::size_t allocated_bytes() {
  struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

/// Folds without the detour over bytes, and keeps nothing.
class Folder {
 public:
  explicit Folder(State& state) : state_(state), counter_(*state.last_counter(broker_id(1))) {
    entry_.groups.resize(1);
    entry_.groups[0].incarnation = broker_id(1);
  }
  template <class Command>
  void fold(const Command& command) {
    entry_.header.position = state_.position()->next();
    entry_.header.nonce = id_of<Nonce>(entry_.header.position.value);
    counter_ = counter_.next();
    entry_.groups[0].first = counter_;
    entry_.groups[0].commands = {encoded(command)};
    const Folded folded = state_.apply(entry_);
    ENSURE(folded.outcomes.at(0).refusal == Refusal::none);
  }

 private:
  State& state_;
  CommandCounter counter_;
  EntryView entry_;
};

std::string member_id(int member) {
  return "consumer-application-" + std::to_string(member) + "-9f1c2d3e-4a5b-6c7d-8e9f-0a1b2c3d4e5f";
}

/// As a consumer of two topics with two assignors.
command::JoinGroup join_of(const std::string& group, int member) {
  command::JoinGroup join;
  join.group_id = group;
  join.new_member_id = member_id(member);
  join.client_id = "consumer-application-" + std::to_string(member);
  join.client_host = "/10.20.30.40";
  join.session_timeout_ms = 45'000;
  join.rebalance_timeout_ms = 300'000;
  join.protocol_type = "consumer";
  for (const char* name : {"range", "cooperative-sticky"})
    join.protocols.push_back({name, SharedBytes::copy_of(weir::as_bytes(std::string(100, 'm')))});
  join.group_size_max = 100;
  join.initial_delay_ms = 3'000;
  return join;
}

void make_group(Folder& folder, State& state, const std::string& id, TopicId topic) {
  for (int m = 0; m < kMembers; ++m) folder.fold(join_of(id, m));
  const Group& group = *state.groups().find(id);
  folder.fold(command::EndPhase{.group_id = id,
                                .generation = group->generation,
                                .phase = static_cast<std::int8_t>(group->phase),
                                .phase_since = group->phase_since.value});
  command::SyncGroup sync{.group_id = id, .member_id = group->leader, .generation = 1};
  for (int m = 0; m < kMembers; ++m)
    sync.assignments.push_back(
        {member_id(m), SharedBytes::copy_of(weir::as_bytes(std::string(60, 'a')))});
  folder.fold(sync);
  command::CommitOffsets commit{
      .group_id = id, .member_id = member_id(0), .generation = 1, .commit_ms = 1};
  commit.topics.push_back({topic, {}});
  for (std::int32_t p = 0; p < kMembers; ++p) commit.topics[0].partitions.push_back({p, 1, 1, ""});
  folder.fold(commit);
}

TEST(Memory, of_ten_thousand_groups_of_ten_members_is_below_two_hundred_megabytes) {
#ifdef WEIR_ALLOCATOR_IS_REPLACED
  GTEST_SKIP() << "the allocator is a sanitizer's";
#endif
  const std::size_t before = allocated_bytes();
  Cluster cluster;
  const TopicId topic = cluster.add_topic("t", kMembers);
  Folder folder(cluster.state());
  for (int g = 0; g < kGroups; ++g)
    make_group(folder, cluster.state(), "application-" + std::to_string(g), topic);
  const std::size_t bytes = allocated_bytes() - before;
  EXPECT_EQ(cluster.state().counts().group_members, 100'000u);
  EXPECT_EQ(cluster.state().counts().group_offsets, 100'000u);
  EXPECT_LT(bytes, std::size_t{200} << 20);
  // What the table counts is what is there, within a factor of two.
  EXPECT_GT(cluster.state().groups().bytes() * 2, bytes);
  std::printf("10,000 groups of 10 members: %.1f MB\n", static_cast<double>(bytes) / 1e6);
}

}  // namespace
}  // namespace weir::state
