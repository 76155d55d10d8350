// The rules of the classic protocol: docs/design.md, 9.
#include "state/groups/classic.h"

#include <gtest/gtest.h>

#include "state/testing/group_rig.h"

namespace weir::state {
namespace {

using testing::GroupRig;
using testing::result_of;
using testing::value_of;

TEST(ClassicGroup, of_one_member_completes_its_join_at_once_without_a_delay) {
  GroupRig rig;
  EXPECT_EQ(result_of(rig.join_new("a")), JoinResult::waits);
  EXPECT_EQ(rig.group()->phase, GroupPhase::completing);
  EXPECT_EQ(rig.group()->generation, 1);
  EXPECT_EQ(rig.group()->leader, "a");
  EXPECT_EQ(rig.group()->protocol_name, "range");
}

TEST(ClassicGroup, names_the_generation_that_a_join_waits_for) {
  GroupRig rig;
  EXPECT_EQ(join_generation(value_of(rig.join_new("a"))), 1) << "it is there at once";
  rig.sync("a");
  EXPECT_EQ(join_generation(value_of(rig.join_new("b"))), 2) << "it will come";
}

TEST(ClassicGroup, waits_for_more_members_only_where_it_was_empty) {
  GroupRig rig;
  command::JoinGroup first = rig.join_command("a");
  first.initial_delay_ms = 3'000;
  rig.cluster.propose(first);
  EXPECT_EQ(rig.group()->phase, GroupPhase::preparing);
  EXPECT_EQ(rig.group()->initial_delay_ms, 3'000);
  command::JoinGroup second = rig.join_command("b");
  second.initial_delay_ms = 3'000;
  rig.cluster.propose(second);
  EXPECT_EQ(rig.group()->phase, GroupPhase::preparing) << "all have joined, but the delay runs";
  EXPECT_EQ(rig.end_phase().refusal, Refusal::none);
  EXPECT_EQ(rig.group()->phase, GroupPhase::completing);

  command::JoinGroup third = rig.join_command("c");
  third.initial_delay_ms = 3'000;
  rig.cluster.propose(third);
  EXPECT_EQ(rig.group()->initial_delay_ms, 0) << "there was a generation already";
}

TEST(ClassicGroup, completes_a_join_when_all_known_members_have_rejoined) {
  GroupRig rig;
  rig.make_stable({"a", "b"});
  rig.join_new("c");
  EXPECT_EQ(rig.group()->phase, GroupPhase::preparing);
  rig.rejoin("a");
  EXPECT_EQ(rig.group()->phase, GroupPhase::preparing);
  rig.rejoin("b");
  EXPECT_EQ(rig.group()->phase, GroupPhase::completing);
  EXPECT_EQ(rig.group()->generation, 2);
}

TEST(ClassicGroup, goes_on_without_the_members_that_did_not_rejoin_in_time) {
  GroupRig rig;
  rig.make_stable({"a", "b"});
  rig.join_new("c");
  rig.end_phase();
  EXPECT_EQ(rig.group().counts.members, 1u);
  EXPECT_EQ(rig.group()->leader, "c");
  EXPECT_EQ(rig.group()->generation, 2);
}

TEST(ClassicGroup, ends_a_phase_only_while_it_is_the_one_that_was_meant) {
  GroupRig rig;
  rig.make_stable({"a", "b"});
  rig.join_new("c");
  command::EndPhase late;
  late.group_id = rig.id;
  late.generation = rig.group()->generation;
  late.phase = static_cast<std::int8_t>(rig.group()->phase);
  late.phase_since = rig.group()->phase_since.value;
  rig.rejoin("a");
  rig.rejoin("b");
  EXPECT_EQ(rig.cluster.propose(late).refusal, Refusal::guard_mismatch);
  EXPECT_EQ(rig.group().counts.members, 3u);
}

TEST(ClassicGroup, gives_the_assignments_of_the_leader_to_all) {
  GroupRig rig;
  rig.make_stable({"a", "b"});
  EXPECT_EQ(rig.group()->phase, GroupPhase::stable);
  EXPECT_EQ(as_text(rig.member("a")->values().assignment.view()), "for a");
  EXPECT_EQ(as_text(rig.member("b")->values().assignment.view()), "for b");
  EXPECT_EQ(value_of(rig.sync("b")), 1) << "again is no harm";
}

TEST(ClassicGroup, refuses_a_sync_of_another_generation_member_protocol_or_phase) {
  GroupRig rig;
  rig.make_stable({"a"});
  command::SyncGroup sync;
  sync.group_id = rig.id;
  sync.member_id = "a";
  sync.generation = 7;
  EXPECT_EQ(rig.cluster.propose(sync).refusal, Refusal::illegal_generation);
  sync.generation = 1;
  sync.protocol_name = "sticky";
  EXPECT_EQ(rig.cluster.propose(sync).refusal, Refusal::inconsistent_protocol);
  sync.protocol_name = "range";
  sync.protocol_type = "connect";
  EXPECT_EQ(rig.cluster.propose(sync).refusal, Refusal::inconsistent_protocol);
  sync.protocol_type.reset();
  sync.member_id = "b";
  EXPECT_EQ(rig.cluster.propose(sync).refusal, Refusal::unknown_member);
  sync.group_id = "other";
  EXPECT_EQ(rig.cluster.propose(sync).refusal, Refusal::unknown_member);
  rig.join_new("b");
  EXPECT_EQ(rig.sync("a").refusal, Refusal::rebalance_in_progress);
}

TEST(ClassicGroup, drops_who_does_not_ask_for_its_assignment) {
  GroupRig rig;
  for (const char* name : {"a", "b"}) {
    command::JoinGroup join = rig.join_command(name);
    join.initial_delay_ms = 1;
    rig.cluster.propose(join);
  }
  rig.end_phase();
  rig.sync("b");
  rig.end_phase();
  EXPECT_EQ(rig.member("a"), nullptr) << "the leader that never assigned";
  EXPECT_EQ(rig.group()->phase, GroupPhase::preparing);
  rig.rejoin("b");
  EXPECT_EQ(rig.group()->leader, "b");
  EXPECT_EQ(rig.group()->phase, GroupPhase::completing);
}

TEST(ClassicGroup, is_not_disturbed_by_a_follower_that_joins_again_unchanged) {
  GroupRig rig;
  rig.make_stable({"a", "b"});
  EXPECT_EQ(result_of(rig.rejoin("b")), JoinResult::current);
  EXPECT_EQ(rig.group()->generation, 1);
  EXPECT_EQ(rig.group()->phase, GroupPhase::stable);
  EXPECT_EQ(result_of(rig.rejoin("b", "other topics")), JoinResult::waits);
  EXPECT_EQ(rig.group()->phase, GroupPhase::preparing);
}

TEST(ClassicGroup, rebalances_when_its_leader_joins_again) {
  GroupRig rig;
  rig.make_stable({"a", "b"});
  EXPECT_EQ(result_of(rig.rejoin("a")), JoinResult::waits);
  EXPECT_EQ(rig.group()->phase, GroupPhase::preparing);
}

TEST(ClassicGroup, tells_a_member_that_lost_its_answer_the_generation_again) {
  GroupRig rig;
  rig.join_new("a");
  EXPECT_EQ(rig.group()->phase, GroupPhase::completing);
  EXPECT_EQ(result_of(rig.rejoin("a")), JoinResult::current);
  EXPECT_EQ(rig.group()->generation, 1);
}

TEST(ClassicGroup, chooses_the_protocol_by_vote_among_those_that_all_offer) {
  GroupRig rig;
  const auto join = [&](const std::string& name, const std::vector<std::string>& protocols) {
    command::JoinGroup command = rig.join_command(name);
    command.initial_delay_ms = 1;
    command.protocols.clear();
    for (const std::string& protocol : protocols)
      command.protocols.push_back({protocol, SharedBytes()});
    return rig.cluster.propose(command).refusal;
  };
  EXPECT_EQ(join("a", {"x", "sticky", "range"}), Refusal::none);
  EXPECT_EQ(join("b", {"range", "sticky"}), Refusal::none);
  EXPECT_EQ(join("c", {"range", "sticky"}), Refusal::none);
  EXPECT_EQ(join("d", {"x"}), Refusal::inconsistent_protocol);
  EXPECT_EQ(join("e", {}), Refusal::inconsistent_protocol);
  rig.end_phase();
  EXPECT_EQ(rig.group()->protocol_name, "range");
  // Again at each rebalance.
  EXPECT_EQ(rig.leave("b"), Refusal::none);
  EXPECT_EQ(rig.leave("c"), Refusal::none);
  command::JoinGroup again = rig.join_command("unused");
  again.member_id = "a";
  again.protocols = {{"sticky", SharedBytes()}, {"range", SharedBytes()}};
  rig.cluster.propose(again);
  EXPECT_EQ(rig.group()->protocol_name, "sticky");
}

TEST(ClassicGroup, refuses_another_protocol_type) {
  GroupRig rig;
  rig.make_stable({"a"});
  command::JoinGroup connect = rig.join_command("b");
  connect.protocol_type = "connect";
  EXPECT_EQ(rig.cluster.propose(connect).refusal, Refusal::inconsistent_protocol);
  connect.protocol_type = "";
  connect.group_id = "new";
  EXPECT_EQ(rig.cluster.propose(connect).refusal, Refusal::inconsistent_protocol);
}

TEST(ClassicGroup, notes_a_new_member_that_has_to_come_again_and_waits_for_it) {
  GroupRig rig;
  rig.make_stable({"a"});
  command::JoinGroup join = rig.join_command("b");
  join.require_known_member = true;
  EXPECT_EQ(result_of(rig.cluster.propose(join)), JoinResult::member_id_required);
  EXPECT_EQ(rig.group()->phase, GroupPhase::stable);
  EXPECT_EQ(rig.group().counts.members, 1u);
  rig.rejoin("a");
  EXPECT_EQ(rig.group()->phase, GroupPhase::preparing) << "the pending one may still come";
  EXPECT_EQ(result_of(rig.rejoin("b")), JoinResult::waits);
  EXPECT_EQ(rig.group()->phase, GroupPhase::completing);
  EXPECT_EQ(rig.group().counts.members, 2u);
}

TEST(ClassicGroup, forgets_a_pending_member_that_leaves_or_is_silent) {
  GroupRig rig;
  command::JoinGroup join = rig.join_command("b");
  join.require_known_member = true;
  rig.cluster.propose(join);
  EXPECT_EQ(rig.expire("b", rig.member("b")->last_sign()), Refusal::none);
  EXPECT_EQ(rig.rejoin("b").refusal, Refusal::unknown_member);
  rig.cluster.propose(join);
  EXPECT_EQ(rig.leave("b"), Refusal::none);
  EXPECT_EQ(rig.leave("b"), Refusal::unknown_member);
}

TEST(ClassicGroup, knows_no_member_that_it_did_not_name) {
  GroupRig rig;
  EXPECT_EQ(rig.rejoin("stranger").refusal, Refusal::unknown_member);
  rig.make_stable({"a"});
  EXPECT_EQ(rig.rejoin("stranger").refusal, Refusal::unknown_member);
}

TEST(ClassicGroup, holds_no_more_members_than_the_proposer_allows) {
  GroupRig rig;
  rig.make_stable({"a", "b"});
  command::JoinGroup join = rig.join_command("c");
  join.group_size_max = 2;
  EXPECT_EQ(rig.cluster.propose(join).refusal, Refusal::group_full);
  EXPECT_EQ(result_of(rig.rejoin("a")), JoinResult::waits);
  // While a rebalance is prepared, who comes first is in.
  EXPECT_EQ(rig.cluster.propose(join).refusal, Refusal::none);
}

// --- static members ---

TEST(StaticMember, comes_back_without_a_rebalance_and_fences_its_predecessor) {
  GroupRig rig;
  rig.join_static("i", "i-1");
  rig.sync("i-1", {"i-1"});
  EXPECT_EQ(result_of(rig.join_static("i", "i-2")), JoinResult::replaced);
  EXPECT_EQ(rig.group()->phase, GroupPhase::stable);
  EXPECT_EQ(rig.group()->generation, 1);
  EXPECT_EQ(rig.group()->leader, "i-2");
  EXPECT_EQ(as_text(rig.member("i-2")->values().assignment.view()), "for i-1");
  EXPECT_EQ(rig.join_static("i", "i-3", "i-1").refusal, Refusal::fenced_instance);
  EXPECT_EQ(rig.join_static("j", "j-1", "j-0").refusal, Refusal::unknown_member);
}

TEST(StaticMember, stays_when_it_does_not_rejoin_in_time_but_not_beyond_its_session) {
  GroupRig rig;
  rig.join_static("i", "i-1");
  rig.sync("i-1", {"i-1"});
  rig.join_new("b");
  rig.end_phase();
  EXPECT_NE(rig.member("i-1"), nullptr);
  EXPECT_EQ(rig.group()->leader, "b");
  EXPECT_EQ(rig.expire("i-1", rig.member("i-1")->last_sign()), Refusal::none);
  EXPECT_EQ(rig.member("i-1"), nullptr);
}

TEST(StaticMember, alone_and_away_keeps_the_group_preparing) {
  GroupRig rig;
  rig.join_static("i", "i-1");
  rig.sync("i-1", {"i-1"});
  rig.join_new("b");
  EXPECT_EQ(rig.leave("b"), Refusal::none);
  const Position since = rig.group()->phase_since;
  EXPECT_EQ(rig.end_phase().refusal, Refusal::none);
  EXPECT_EQ(rig.group()->phase, GroupPhase::preparing);
  EXPECT_GT(rig.group()->phase_since, since) << "the time-out starts again";
}

TEST(StaticMember, leaves_by_its_instance_id) {
  GroupRig rig;
  rig.join_static("i", "i-1");
  EXPECT_EQ(rig.leave("wrong", "i"), Refusal::fenced_instance);
  EXPECT_EQ(rig.leave("", "other"), Refusal::unknown_member);
  EXPECT_EQ(rig.leave("", "i"), Refusal::none);
  EXPECT_TRUE(rig.group().empty());
}

// --- leaving and silence ---

TEST(ClassicGroup, is_empty_in_a_new_generation_when_the_last_member_has_left) {
  GroupRig rig;
  rig.make_stable({"a", "b"});
  EXPECT_EQ(rig.leave("a"), Refusal::none);
  EXPECT_EQ(rig.group()->phase, GroupPhase::preparing);
  EXPECT_EQ(rig.group()->leader, "b");
  EXPECT_EQ(rig.leave("b"), Refusal::none);
  EXPECT_EQ(rig.group()->phase, GroupPhase::empty);
  EXPECT_EQ(rig.group()->generation, 2);
  EXPECT_EQ(rig.group()->protocol_type, "consumer");
  EXPECT_GT(rig.group()->empty_since_ms, 0);
}

TEST(ClassicGroup, expires_a_member_only_if_no_newer_sign_of_life_came) {
  GroupRig rig;
  rig.make_stable({"a", "b"});
  const Position seen = rig.member("b")->last_sign();
  rig.vouch("b");
  EXPECT_EQ(rig.expire("b", seen), Refusal::guard_mismatch);
  EXPECT_EQ(rig.expire("b", rig.member("b")->last_sign()), Refusal::none);
  EXPECT_EQ(rig.group()->phase, GroupPhase::preparing);
  EXPECT_EQ(rig.expire("b", seen), Refusal::not_found);
}

TEST(ClassicGroup, takes_a_join_for_a_sign_of_life_of_the_same_member_id) {
  GroupRig rig;
  rig.make_stable({"a", "b"});
  const Position seen = rig.member("b")->last_sign();
  rig.leave("b");
  rig.rejoin("a");
  command::JoinGroup again = rig.join_command("b");
  rig.cluster.propose(again);
  EXPECT_EQ(rig.expire("b", seen), Refusal::guard_mismatch);
}

TEST(ClassicGroup, refuses_what_is_beyond_the_limits) {
  GroupRig rig;
  command::JoinGroup join = rig.join_command("a");
  join.group_id = "";
  EXPECT_EQ(rig.cluster.propose(join).refusal, Refusal::malformed);
  join = rig.join_command(std::string(5'000, 'x'));
  EXPECT_EQ(rig.cluster.propose(join).refusal, Refusal::malformed);
  join = rig.join_command("a");
  for (int i = 0; i < 200; ++i) join.protocols.push_back({std::to_string(i), SharedBytes()});
  EXPECT_EQ(rig.cluster.propose(join).refusal, Refusal::malformed);
  EXPECT_EQ(rig.state().groups().count(), 0u);
}

}  // namespace
}  // namespace weir::state
