// How long groups take where each write to the store does, and what many groups cost.
#include <gtest/gtest.h>

#include <algorithm>

#include "commitlog/forwarding_log_for_test.h"
#include "engine/testing/consumer_groups_fixture.h"
#include "engine/testing/groups_fixture.h"

namespace weir::engine {
namespace {

using testing::EngineNode;
using testing::join_of;
using testing::quick_options;

constexpr Duration kWrite = 60ms;
constexpr Duration kRead = 20ms;
constexpr int kMembers = 10;

/// A log on a store whose writes take 60 ms.
class SlowLog final : public commitlog::ForwardingLog {
 public:
  using ForwardingLog::ForwardingLog;
  rt::Task<Result<commitlog::CreateOutcome>> create(Position at, BytesChain entry) override {
    if (loop) co_await rt::sleep_for(*loop, kWrite);
    co_return co_await inner_.create(at, std::move(entry));
  }
  rt::Task<Result<std::optional<SharedBytes>>> read(Position at) override {
    if (loop) co_await rt::sleep_for(*loop, kRead);
    co_return co_await inner_.read(at);
  }
  bool guards_floor() const override { return true; }
  std::string describe() const override { return "slow://"; }

  rt::Loop* loop = nullptr;
};

template <class Fixture>
class SlowStore : public Fixture {
 protected:
  EngineNode& start_slow(const std::string& host) {
    rt::sim::SimNode& at = this->world_.start_node({.host = host});
    slow_.loop = &at.loop();
    EngineNode& engine =
        at.make<EngineNode>(at, testing::SharedStores{this->store_, slow_}, quick_options(host));
    this->run(at, [](EngineNode& e, rt::Loop& loop) -> rt::Task<void> {
      EXPECT_TRUE((co_await e->start(loop.now() + 10s)).has_value());
    }(engine, at.loop()));
    return engine;
  }
  SlowLog slow_{this->log_};
};

class ClassicPace : public SlowStore<testing::GroupsFixture> {
 protected:
  /// Joins and syncs once; the leader gives everybody its name.
  static rt::Task<void> rebalance(EngineNode& e, rt::Loop& loop, JoinRequest request, int* open) {
    const JoinAnswer joined =
        co_await e->groups().join(std::move(request), loop.now() + 60s, nullptr);
    EXPECT_TRUE(joined.ok());
    SyncRequest assign;
    assign.from = {"g", joined.member, std::nullopt, joined.generation};
    for (const JoinedMember& member : joined.members)
      assign.assignments.emplace_back(member.id, SharedBytes::copy_of(as_bytes(member.id)));
    const SyncAnswer synced =
        co_await e->groups().sync(std::move(assign), loop.now() + 60s, nullptr);
    EXPECT_EQ(as_text(synced.assignment.view()), joined.member);
    --*open;
  }
  Duration rebalance_all(EngineNode& a, int first, int count, bool known) {
    int open = count;
    const MonoTime begun = world_.now();
    for (int i = first; i < first + count; ++i) {
      const std::string member = "m" + std::to_string(i);
      JoinRequest request = join_of(member, known ? member : "");
      request.initial_delay_ms = 500;
      node("a").spawn(rebalance(a, node("a").loop(), std::move(request), &open));
    }
    EXPECT_TRUE(world_.run_while([&] { return open > 0; }, 60s));
    return world_.now() - begun;
  }
};

TEST_F(ClassicPace, ten_members_rebalance_in_less_than_two_seconds_on_a_slow_store) {
  EngineNode& a = start_slow("a");
  rebalance_all(a, 0, kMembers, false);
  const Duration took = rebalance_all(a, 0, kMembers, true);
  EXPECT_EQ((*group(a))->phase, state::GroupPhase::stable);
  EXPECT_EQ(group(a)->members.size(), static_cast<std::size_t>(kMembers));
  EXPECT_GE(took, 2 * kWrite) << "the store is slow";
  EXPECT_LT(took, 2s);
  RecordProperty("rebalance_ms", static_cast<int>(took / 1ms));
}

class ConsumerPace : public SlowStore<testing::ConsumerGroupsFixture> {};

TEST_F(ConsumerPace, a_join_among_ten_settles_in_less_than_two_seconds_on_a_slow_store) {
  EngineNode& a = start_slow("a");
  create_topic("a", a, "t", 20);
  std::vector<Member> members;
  for (int i = 0; i < kMembers; ++i) members.push_back({.id = "m" + std::to_string(i)});
  std::vector<Member*> all;
  for (Member& member : members) all.push_back(&member);
  converge("a", a, all);
  Member late{.id = "late"};
  all.push_back(&late);
  const MonoTime begun = world_.now();
  int rounds = 0;
  ASSERT_EQ(beat("a", a, late), Refusal::none);
  while (state(a) != state::ConsumerGroupState::stable && ++rounds < 10)
    for (Member* member : all) ASSERT_EQ(beat("a", a, *member), Refusal::none);
  const Duration took = world_.now() - begun;
  EXPECT_EQ(late.owned.size(), 1u);
  EXPECT_LE(rounds, 3);
  // Members beat one after the other here, so this is the sum of all writes.
  EXPECT_LT(took, 2s);
  RecordProperty("settle_ms", static_cast<int>(took / 1ms));
}

class ManyGroups : public testing::GroupsFixture {};

TEST_F(ManyGroups, ten_thousand_form_each_in_its_own_time) {
  constexpr int kGroups = 10'000;
  EngineNode& a = start("a");
  const auto live = [](EngineNode& e, rt::Loop& loop, int number, int* open) -> rt::Task<void> {
    JoinRequest request = join_of("m");
    request.group = "g" + std::to_string(number);
    request.initial_delay_ms = 1'000;
    co_await rt::sleep_for(loop, number * 200us);
    const MonoTime begun = loop.now();
    const JoinAnswer joined =
        co_await e->groups().join(std::move(request), loop.now() + 60s, nullptr);
    EXPECT_TRUE(joined.ok());
    EXPECT_GE(loop.now() - begun, 1s);
    EXPECT_LT(loop.now() - begun, 1'200ms);
    --*open;
  };
  int open = kGroups;
  for (int i = 0; i < kGroups; ++i) node("a").spawn(live(a, node("a").loop(), i, &open));
  ASSERT_TRUE(world_.run_while([&] { return open > 0; }, 60s));
}

}  // namespace
}  // namespace weir::engine
