#include "engine/assignors/assignor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "base/narrow.h"

namespace weir::engine {
namespace {

TopicId topic_id(std::uint8_t n) {
  TopicId id;
  id.bytes[0] = 1;
  id.bytes[15] = n;
  return id;
}

AssignorInput input_of(std::vector<std::int32_t> partitions,
                       std::vector<std::vector<std::size_t>> subscriptions) {
  AssignorInput input;
  for (std::size_t t = 0; t < partitions.size(); ++t)
    input.topics.push_back({topic_id(narrow<std::uint8_t>(t)), partitions[t]});
  for (std::size_t m = 0; m < subscriptions.size(); ++m) {
    std::string number = std::to_string(m);
    input.members.push_back({.id = "m" + std::string(4 - number.size(), '0') + number,
                             .instance = std::nullopt,
                             .topics = subscriptions[m],
                             .current = {}});
  }
  return input;
}

/// Every partition of a subscribed topic once, and only to members that subscribe. Empty if so.
std::string problem(const AssignorInput& input, const Assignment& assignment) {
  if (assignment.size() != input.members.size()) return "not one list per member";
  std::map<state::PartitionRef, std::size_t> owners;
  for (std::size_t m = 0; m < assignment.size(); ++m) {
    if (!std::ranges::is_sorted(assignment[m])) return "not sorted";
    for (const state::PartitionRef& at : assignment[m]) {
      if (!owners.emplace(at, m).second) return "a partition is given twice";
      bool subscribed = std::ranges::any_of(input.members[m].topics, [&](std::size_t t) {
        return input.topics[t].id == at.topic && at.partition.value < input.topics[t].partitions;
      });
      if (!subscribed) return "a partition of a topic that the member does not read";
    }
  }
  for (std::size_t t = 0; t < input.topics.size(); ++t) {
    bool read = std::ranges::any_of(input.members, [&](const AssignableMember& member) {
      return std::ranges::find(member.topics, t) != member.topics.end();
    });
    for (std::int32_t p = 0; read && p < input.topics[t].partitions; ++p)
      if (!owners.contains({input.topics[t].id, PartitionIndex(p)})) return "one is left over";
  }
  return "";
}

std::size_t spread(const Assignment& assignment) {
  auto [low, high] = std::ranges::minmax(assignment, {}, &state::PartitionList::size);
  return high.size() - low.size();
}

/// Partitions whose owner is another one now.
std::size_t moves(const AssignorInput& input, const Assignment& assignment) {
  std::size_t count = 0;
  for (std::size_t m = 0; m < assignment.size(); ++m)
    for (const state::PartitionRef& at : input.members[m].current)
      if (!state::contains(assignment[m], at)) ++count;
  return count;
}

void adopt(AssignorInput& input, const Assignment& assignment) {
  for (std::size_t m = 0; m < assignment.size(); ++m) input.members[m].current = assignment[m];
}

TEST(Assignors, TheCheckerSeesABadAssignment) {
  AssignorInput input = input_of({2}, {{0}, {}});
  state::PartitionRef first{topic_id(0), PartitionIndex(0)};
  state::PartitionRef second{topic_id(0), PartitionIndex(1)};
  EXPECT_EQ(problem(input, {{first, second}, {}}), "");
  EXPECT_NE(problem(input, {{first}, {}}), "");
  EXPECT_NE(problem(input, {{first}, {second}}), "");
  EXPECT_NE(problem(input, {{first, first, second}, {}}), "");
}

TEST(Uniform, SharesEvenlyWhereAllReadTheSame) {
  AssignorInput input = input_of({7, 4}, {{0, 1}, {0, 1}, {0, 1}});
  Assignment out = assign_uniform(input);
  EXPECT_EQ(problem(input, out), "");
  EXPECT_LE(spread(out), 1U);
}

TEST(Uniform, OneJoinAmongAThousandMovesOnlyWhatMustMove) {
  AssignorInput input =
      input_of({10'000}, std::vector<std::vector<std::size_t>>(1'000, std::vector<std::size_t>{0}));
  adopt(input, assign_uniform(input));
  input.members.push_back({.id = "n", .instance = std::nullopt, .topics = {0}, .current = {}});
  Assignment out = assign_uniform(input);
  EXPECT_EQ(problem(input, out), "");
  EXPECT_LE(spread(out), 1U);
  EXPECT_EQ(moves(input, out), out.back().size());
  EXPECT_GE(out.back().size(), 9U);
}

TEST(Uniform, NothingMovesWhenNothingChanged) {
  AssignorInput input = input_of({7, 4, 9}, {{0, 1}, {1, 2}, {0, 2}, {0, 1, 2}});
  Assignment first = assign_uniform(input);
  adopt(input, first);
  EXPECT_EQ(assign_uniform(input), first);
}

TEST(Uniform, DifferentSubscriptionsAreBalancedAsFarAsTheyAllow) {
  AssignorInput input = input_of({8, 2}, {{0}, {0, 1}, {1}});
  Assignment out = assign_uniform(input);
  EXPECT_EQ(problem(input, out), "");
  EXPECT_EQ(out[0].size(), 4U);
  EXPECT_EQ(out[1].size(), 4U);
  EXPECT_EQ(out[2].size(), 2U);
}

TEST(Uniform, RandomChangesKeepItWholeAndEven) {
  std::uint32_t seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  AssignorInput input = input_of({5, 12, 1, 30}, {{0}});
  for (int step = 0; step < 300; ++step) {
    if (random() % 3 == 0 && input.members.size() > 1) {
      input.members.erase(input.members.begin() +
                          static_cast<std::ptrdiff_t>(random() % input.members.size()));
    } else if (input.members.size() < 40) {
      AssignableMember member{.id = "r" + std::to_string(100'000 + step),
                              .instance = std::nullopt,
                              .topics = {},
                              .current = {}};
      for (std::size_t t = 0; t < input.topics.size(); ++t)
        if (step < 150 || random() % 2 == 0) member.topics.push_back(t);
      input.members.push_back(member);
      std::ranges::sort(input.members, {}, &AssignableMember::id);
    }
    Assignment out = assign_uniform(input);
    ASSERT_EQ(problem(input, out), "") << "step " << step;
    adopt(input, out);
  }
}

TEST(Range, CutsEachTopicIntoContiguousPieces) {
  AssignorInput input = input_of({5, 5}, {{0, 1}, {0, 1}});
  Assignment out = assign_range(input);
  EXPECT_EQ(problem(input, out), "");
  EXPECT_EQ(out[0].size(), 6U);
  EXPECT_EQ(out[0][2].partition, PartitionIndex(2));
  EXPECT_EQ(out[0][3].partition, PartitionIndex(0));
  EXPECT_EQ(out[1][0].partition, PartitionIndex(3));
}

TEST(Range, StaticMembersComeFirstByTheirInstance) {
  AssignorInput input = input_of({2}, {{0}, {0}});
  input.members[0].instance = "b";
  input.members[1].instance = "a";
  Assignment out = assign_range(input);
  EXPECT_EQ(out[1][0].partition, PartitionIndex(0));
  EXPECT_EQ(out[0][0].partition, PartitionIndex(1));
}

TEST(Assignors, NobodyGetsNothing) {
  EXPECT_TRUE(assign_uniform(input_of({3}, {})).empty());
  EXPECT_TRUE(assign_range(input_of({}, {{}})).front().empty());
  EXPECT_TRUE(assign_uniform(input_of({3}, {{}})).front().empty());
}

}  // namespace
}  // namespace weir::engine
