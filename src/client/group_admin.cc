#include "client/group_admin.h"

#include <map>

#include "client/consumer_protocol.h"

namespace weir::client {
namespace {

std::unexpected<Error> unknown_group(const std::string& group) {
  return fail(ErrorCode::not_found, "there is no group " + group);
}

}  // namespace

rt::Task<Result<std::vector<GroupListing>>> GroupAdmin::list(MonoTime deadline) {
  if (auto refreshed = co_await cluster_.refresh_brokers(deadline); !refreshed)
    co_return std::unexpected(refreshed.error());
  // Elsewhere every broker knows the groups that it coordinates; in weir every one knows all.
  std::map<std::string, GroupListing> found;
  const std::vector<BrokerMetadata> brokers = cluster_.brokers();
  for (const BrokerMetadata& broker : brokers) {
    auto answer =
        co_await cluster_.call(broker.id, wire::ListGroupsRequest(), {.deadline = deadline});
    if (!answer) co_return std::unexpected(answer.error());
    if (answer->error_code != 0) co_return std::unexpected(to_error(answer->error_code));
    for (const auto& group : answer->groups)
      found[group.group_id] = {group.group_id, group.protocol_type, group.group_state,
                               group.group_type};
  }
  std::vector<GroupListing> out;
  out.reserve(found.size());
  for (auto& [name, listing] : found) out.push_back(std::move(listing));
  co_return out;
}

rt::Task<Result<std::optional<GroupDescription>>> GroupAdmin::describe_consumer(GroupClient& group,
                                                                                MonoTime deadline) {
  wire::ConsumerGroupDescribeRequest request;
  request.group_ids.push_back(group.group());
  auto answer = co_await group.call(
      std::move(request), {.deadline = deadline},
      [](const wire::ConsumerGroupDescribeResponse& response) {
        return response.groups.empty() ? std::int16_t{0} : response.groups.front().error_code;
      });
  if (!answer && answer.error().is(ErrorCode::unsupported))
    co_return std::optional<GroupDescription>();
  if (!answer) co_return std::unexpected(answer.error());
  if (answer->groups.empty())
    co_return fail(ErrorCode::corrupt, "the answer to ConsumerGroupDescribe names no group");
  const auto& found = answer->groups.front();
  if (is(found.error_code, KafkaCode::group_id_not_found))
    co_return std::optional<GroupDescription>();
  if (found.error_code != 0)
    co_return std::unexpected(to_error(found.error_code, found.error_message));
  GroupDescription out{found.group_id, "consumer", found.group_state, found.assignor_name, {}};
  for (const auto& member : found.members) {
    GroupMemberInfo& info = out.members.emplace_back(GroupMemberInfo{
        member.member_id, member.instance_id, member.client_id, member.client_host, {}});
    for (const auto& topic : member.assignment.topic_partitions)
      for (std::int32_t index : topic.partitions)
        info.assignment.push_back({topic.topic_name, PartitionIndex(index)});
  }
  co_return std::optional(std::move(out));
}

rt::Task<Result<GroupDescription>> GroupAdmin::describe_classic(GroupClient& group,
                                                                MonoTime deadline) {
  wire::DescribeGroupsRequest request;
  request.groups.push_back(group.group());
  auto answer = co_await group.call(
      std::move(request), {.deadline = deadline}, [](const wire::DescribeGroupsResponse& response) {
        return response.groups.empty() ? std::int16_t{0} : response.groups.front().error_code;
      });
  if (!answer) co_return std::unexpected(answer.error());
  if (answer->groups.empty())
    co_return fail(ErrorCode::corrupt, "the answer to DescribeGroups names no group");
  const auto& found = answer->groups.front();
  if (is(found.error_code, KafkaCode::group_id_not_found) || found.group_state == "Dead")
    co_return unknown_group(group.group());
  if (found.error_code != 0)
    co_return std::unexpected(to_error(found.error_code, found.error_message));
  GroupDescription out{found.group_id, "classic", found.group_state, found.protocol_data, {}};
  for (const auto& member : found.members) {
    GroupMemberInfo& info = out.members.emplace_back(GroupMemberInfo{
        member.member_id, member.group_instance_id, member.client_id, member.client_host, {}});
    // Groups of other protocols (Connect) put something else there.
    auto assignment = decode_assignment(member.member_assignment);
    if (found.protocol_type == "consumer" && assignment) info.assignment = std::move(*assignment);
  }
  co_return out;
}

rt::Task<Result<GroupDescription>> GroupAdmin::describe(std::string group, MonoTime deadline) {
  GroupClient client(cluster_, std::move(group));
  auto found = co_await describe_consumer(client, deadline);
  if (!found) co_return std::unexpected(found.error());
  if (*found) co_return std::move(**found);
  co_return co_await describe_classic(client, deadline);
}

rt::Task<Result<void>> GroupAdmin::remove(std::string group, MonoTime deadline) {
  GroupClient client(cluster_, std::move(group));
  wire::DeleteGroupsRequest request;
  request.groups_names.push_back(client.group());
  auto answer = co_await client.call(
      std::move(request), {.deadline = deadline}, [](const wire::DeleteGroupsResponse& response) {
        return response.results.empty() ? std::int16_t{0} : response.results.front().error_code;
      });
  if (!answer) co_return std::unexpected(answer.error());
  if (answer->results.empty())
    co_return fail(ErrorCode::corrupt, "the answer to DeleteGroups names no group");
  const auto& result = answer->results.front();
  if (is(result.error_code, KafkaCode::group_id_not_found)) co_return unknown_group(client.group());
  if (result.error_code != 0)
    co_return std::unexpected(to_error(result.error_code, result.error_message));
  co_return Result<void>();
}

}  // namespace weir::client
