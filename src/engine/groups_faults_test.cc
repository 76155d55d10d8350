// Groups when the store is away, and groups of many members.
#include <gtest/gtest.h>

#include <algorithm>

#include "commitlog/forwarding_log_for_test.h"
#include "engine/testing/groups_fixture.h"

namespace weir::engine {
namespace {

using testing::EngineNode;
using testing::join_of;
using testing::quick_options;

/// A log that may be out of reach.
class OutageLog final : public commitlog::ForwardingLog {
 public:
  using ForwardingLog::ForwardingLog;
  rt::Task<Result<commitlog::CreateOutcome>> create(Position at, BytesChain entry) override {
    if (down) co_return away();
    co_return co_await inner_.create(at, std::move(entry));
  }
  rt::Task<Result<std::optional<SharedBytes>>> read(Position at) override {
    if (down) co_return away();
    co_return co_await inner_.read(at);
  }
  bool guards_floor() const override { return true; }
  std::string describe() const override { return "outage://"; }

  bool down = false;

 private:
  static std::unexpected<Error> away() { return fail(ErrorCode::unavailable, "503 slow down"); }
};

class GroupFaultsTest : public testing::GroupsFixture {
 protected:
  EngineNode& start_on(const std::string& host, commitlog::CommitLog& log) {
    rt::sim::SimNode& at = world_.start_node({.host = host});
    EngineNode& engine =
        at.make<EngineNode>(at, testing::SharedStores{store_, log}, quick_options(host));
    run(at, [](EngineNode& e, rt::Loop& loop) -> rt::Task<void> {
      EXPECT_TRUE((co_await e->start(loop.now() + 10s)).has_value());
    }(engine, at.loop()));
    return engine;
  }
  OutageLog outage_{log_};
};

TEST_F(GroupFaultsTest, an_outage_of_the_store_expires_nobody) {
  EngineNode& a = start_on("a", outage_);
  EngineNode& b = start_on("b", outage_);
  settle("a", a, "m1");
  for (int i = 0; i < 4; ++i) {
    world_.run_for(2s);
    ASSERT_EQ(beat("a", a, "m1", 1), Refusal::none);
  }
  outage_.down = true;
  for (int i = 0; i < 15; ++i) {
    world_.run_for(2s);
    EXPECT_EQ(beat("a", a, "m1", 1), Refusal::none) << "a heartbeat needs no store";
  }
  outage_.down = false;
  for (int i = 0; i < 10; ++i) {
    world_.run_for(2s);
    ASSERT_EQ(beat("a", a, "m1", 1), Refusal::none) << i;
  }
  ASSERT_TRUE(get(node("b"), b->barrier(soon("b"))).has_value());
  EXPECT_EQ(group(b)->values().generation, 1);
}

TEST_F(GroupFaultsTest, what_cannot_be_proved_is_not_refused) {
  EngineNode& a = start_on("a", outage_);
  settle("a", a, "m1");
  outage_.down = true;
  const GroupOutcome outcome =
      get(node("a"),
          a->groups().heartbeat({"g", "stranger", std::nullopt, 1}, node("a").loop().now() + 2s));
  EXPECT_EQ(outcome.refusal, Refusal::none);
  EXPECT_TRUE(outcome.failure.has_value());
  outage_.down = false;
}

TEST_F(GroupFaultsTest, a_join_during_an_outage_fails_within_its_patience) {
  EngineNode& a = start_on("a", outage_);
  outage_.down = true;
  const MonoTime begun = world_.now();
  EXPECT_TRUE(join("a", a, join_of("m1")).failure.has_value());
  EXPECT_LT(world_.now() - begun, 35s);
  outage_.down = false;
  world_.run_for(2s);
}

TEST_F(GroupFaultsTest, a_commit_does_not_outlive_the_registration_of_its_broker) {
  EngineNode& a = start_on("a", outage_);
  EngineNode& b = start_on("b", log_);
  PartitionRef at{create_topic("b", b, "t"), PartitionIndex(0)};
  settle("a", a, "m1");
  ASSERT_TRUE(commit("a", a, {"", "m1", std::nullopt, 1}, at, 10).ok());
  outage_.down = true;
  std::optional<GroupOutcome> late;
  node("a").spawn([](EngineNode& e, PartitionRef p, MonoTime until,
                     std::optional<GroupOutcome>* out) -> rt::Task<void> {
    MemberId from{"g", "m1", std::nullopt, 1};
    *out = (co_await e->groups().commit_offsets(from, {{p, 11, -1, ""}}, until)).front();
  }(a, at, node("a").loop().now() + 60s, &late));
  // Its client goes on at the other broker, which notices that the first one is gone.
  for (int i = 0; i < 20; ++i) {
    world_.run_for(2s);
    ASSERT_EQ(beat("b", b, "m1", 1), Refusal::none);
  }
  ASSERT_EQ(b->follower().state().brokers().size(), 1u);
  ASSERT_TRUE(commit("b", b, {"", "m1", std::nullopt, 1}, at, 12).ok());
  outage_.down = false;
  world_.run_for(5s);
  ASSERT_EQ(b->follower().state().brokers().size(), 2u) << "it is back";
  EXPECT_EQ(committed("b", b).offsets.at(0).offset, 12);
  ASSERT_TRUE(late.has_value());
  EXPECT_FALSE(late->ok());
}

TEST_F(GroupFaultsTest, a_thousand_members_form_a_group_at_once) {
  constexpr int kMembers = 1'000;
  EngineNode& a = start("a");
  const MonoTime begun = world_.now();
  std::vector<std::optional<JoinAnswer>> joined(kMembers);
  std::vector<std::optional<SyncAnswer>> synced(kMembers);
  const auto live = [](EngineNode& e, rt::Loop& loop, int number, std::optional<JoinAnswer>* join,
                       std::optional<SyncAnswer>* sync) -> rt::Task<void> {
    JoinRequest request = join_of("m" + std::to_string(number));
    request.initial_delay_ms = 3'000;
    *join = co_await e->groups().join(std::move(request), loop.now() + 60s, nullptr);
    SyncRequest assign;
    assign.from = {"g", (*join)->member, std::nullopt, (*join)->generation};
    for (const JoinedMember& member : (*join)->members)
      assign.assignments.emplace_back(member.id, SharedBytes::copy_of(as_bytes(member.id)));
    *sync = co_await e->groups().sync(std::move(assign), loop.now() + 60s, nullptr);
  };
  for (int i = 0; i < kMembers; ++i) {
    const auto n = static_cast<std::size_t>(i);
    node("a").spawn(live(a, node("a").loop(), i, &joined[n], &synced[n]));
  }
  const auto open = [&] {
    return std::ranges::any_of(synced, [](const auto& answer) { return !answer; });
  };
  ASSERT_TRUE(world_.run_while(open, 60s));
  EXPECT_LT(world_.now() - begun, 8s) << "two delays of 3 s, and little else";
  for (std::size_t i = 0; i < synced.size(); ++i)
    ASSERT_EQ(as_text(synced[i]->assignment.view()), "m" + std::to_string(i));
}

}  // namespace
}  // namespace weir::engine
