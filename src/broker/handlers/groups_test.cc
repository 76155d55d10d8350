// Members of groups: what clients are told, version by version.
#include "broker/handlers/testing/group_apis.h"

namespace weir::broker::handlers {
namespace {

using testing::RawClient;
using Join = wire::JoinGroupResponse;
using K = KafkaError;

TEST_F(GroupApis, JoinGroupAsksForAMemberIdFromVersion4On) {
  for (std::int16_t v = 0; v <= 9; ++v) {
    wire::JoinGroupRequest request = join_request();
    request.group_id = "v" + std::to_string(v);
    const Join first = join(request, v);
    EXPECT_EQ(first.error_code, v < 4 ? 0 : code(K::member_id_required)) << v;
    EXPECT_TRUE(first.member_id.starts_with("test-")) << first.member_id;
    if (v < 4) continue;
    request.member_id = first.member_id;
    const Join second = join(request, v);
    EXPECT_EQ(second.error_code, 0) << v;
    EXPECT_EQ(second.generation_id, 1);
    EXPECT_EQ(second.leader, second.member_id);
    EXPECT_EQ(second.protocol_name, "range");
    ASSERT_EQ(second.members.size(), 1u);
    EXPECT_EQ(as_text(second.members[0].metadata.view()), "meta");
    if (v >= 7) {
      EXPECT_EQ(second.protocol_type, "consumer");
    }
  }
}

TEST_F(GroupApis, JoinGroupRefusesWhatCannotBe) {
  EXPECT_EQ(join(join_request("stranger"), 9).error_code, code(K::unknown_member_id));
  wire::JoinGroupRequest request = join_request();
  request.group_id = "";
  EXPECT_EQ(join(request, 9).error_code, code(K::invalid_group_id));
  request.group_id = std::string(5'000, 'g');
  EXPECT_EQ(join(request, 9).error_code, code(K::invalid_group_id));
  request = join_request();
  request.session_timeout_ms = 100;
  EXPECT_EQ(join(request, 9).error_code, code(K::invalid_session_timeout));
  request.session_timeout_ms = 2'000'000;
  EXPECT_EQ(join(request, 9).error_code, code(K::invalid_session_timeout));
  request = join_request();
  request.protocols.clear();
  EXPECT_EQ(join(request, 9).error_code, code(K::inconsistent_group_protocol));
  settle();
  request = join_request();
  request.protocol_type = "connect";
  EXPECT_EQ(join(request, 9).error_code, code(K::inconsistent_group_protocol));
}

TEST_F(GroupApis, JoinGroupKeepsTheGroupWithinItsSize) {
  // The first has its generation already; the next three wait for another one.
  std::vector<std::unique_ptr<RawClient>> clients;
  for (int i = 0; i < 4; ++i) {
    clients.push_back(std::make_unique<RawClient>(rig_->connect()));
    clients.back()->send(join_request(), 3);
    rig_->world.run_for(100ms);
  }
  wire::JoinGroupRequest request = join_request();
  EXPECT_EQ(join(request, 3).error_code, code(K::group_max_size_reached));
}

TEST_F(GroupApis, HeartbeatsAndSyncsNameTheirProblem) {
  const std::string member = settle();
  EXPECT_EQ(beat(member, 1), 0);
  EXPECT_EQ(beat(member, 2), code(K::illegal_generation));
  EXPECT_EQ(beat("stranger", 1), code(K::unknown_member_id));
  EXPECT_EQ(sync(member, 7).error_code, code(K::illegal_generation));
  wire::SyncGroupRequest other{
      .group_id = "g", .generation_id = 1, .member_id = member, .protocol_name = "sticky"};
  EXPECT_EQ(client_->call<wire::SyncGroupResponse>(other, 5).error_code,
            code(K::inconsistent_group_protocol));
  RawClient second = rig_->connect();
  second.send(join_request(), 3);
  rig_->world.run_for(200ms);
  EXPECT_EQ(beat(member, 1), code(K::rebalance_in_progress));
  EXPECT_EQ(sync(member, 1).error_code, code(K::rebalance_in_progress));
  for (std::int16_t v = 0; v <= 4; ++v) {
    wire::HeartbeatRequest request{.group_id = "g", .generation_id = 1, .member_id = member};
    EXPECT_EQ(client_->call<wire::HeartbeatResponse>(request, v).error_code,
              code(K::rebalance_in_progress));
  }
}

TEST_F(GroupApis, StaticMembersComeBackWithoutARebalance) {
  wire::JoinGroupRequest request = join_request();
  request.group_instance_id = "i";
  const Join first = join(request, 9);
  ASSERT_EQ(first.error_code, 0) << "no member id is asked of static members";
  EXPECT_TRUE(first.member_id.starts_with("i-"));
  sync(first.member_id, 1);
  const Join again = join(request, 9);
  EXPECT_EQ(again.error_code, 0);
  EXPECT_EQ(again.generation_id, 1);
  EXPECT_NE(again.member_id, first.member_id);
  EXPECT_EQ(again.leader, again.member_id);
  EXPECT_TRUE(again.skip_assignment);
  EXPECT_EQ(again.members.size(), 1u);
  EXPECT_EQ(as_text(sync(again.member_id, 1).assignment.view()), "assigned");
  // Before version 9 it must not think that it has to assign.
  const Join old = join(request, 8);
  EXPECT_NE(old.leader, old.member_id);
  EXPECT_TRUE(old.members.empty());

  request.member_id = first.member_id;
  EXPECT_EQ(join(request, 9).error_code, code(K::fenced_instance_id));
  wire::HeartbeatRequest beat{
      .group_id = "g", .generation_id = 1, .member_id = first.member_id, .group_instance_id = "i"};
  EXPECT_EQ(client_->call<wire::HeartbeatResponse>(beat, 4).error_code,
            code(K::fenced_instance_id));
}

TEST_F(GroupApis, LeaveGroupAnswersEachMember) {
  const std::string member = settle();
  wire::LeaveGroupRequest request{.group_id = "g"};
  request.members.push_back({.member_id = member});
  request.members.push_back({.member_id = "stranger"});
  request.members.push_back({.member_id = "", .group_instance_id = "i"});
  const auto answer = client_->call<wire::LeaveGroupResponse>(request, 5);
  EXPECT_EQ(answer.error_code, 0);
  ASSERT_EQ(answer.members.size(), 3u);
  EXPECT_EQ(answer.members[0].error_code, 0);
  EXPECT_EQ(answer.members[1].error_code, code(K::unknown_member_id));
  EXPECT_EQ(answer.members[2].error_code, code(K::unknown_member_id));
  const std::string again = settle();
  for (std::int16_t v = 0; v <= 2; ++v) {
    wire::LeaveGroupRequest one{.group_id = "g", .member_id = again};
    EXPECT_EQ(client_->call<wire::LeaveGroupResponse>(one, v).error_code,
              v == 0 ? 0 : code(K::unknown_member_id));
  }
}

}  // namespace
}  // namespace weir::broker::handlers
