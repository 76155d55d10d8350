// 69 ConsumerGroupDescribe, versions 0-1.
//
// Serves: groups of the consumer protocol with epochs, assignor and members: what each has and what
// it shall have, by topic id and name; from version 1 on whether a member speaks the classic
// protocol. Unknown groups and those of another kind: GROUP_ID_NOT_FOUND. Empty ids:
// INVALID_GROUP_ID. Authorized operations when asked. After a barrier. A group named twice is
// described once; where there is no memory: COORDINATOR_LOAD_IN_PROGRESS.
#include "broker/config/group_settings.h"
#include "broker/deadlines.h"
#include "broker/handlers/group_requests.h"
#include "broker/handlers/handlers.h"
#include "broker/handlers/repeated.h"
#include "broker/refusal_text.h"
#include "broker/serve.h"
#include "engine/consumer_groups_api.h"
#include "wire/consumer_group_describe.h"

namespace weir::broker::handlers {
namespace {

using Request = wire::ConsumerGroupDescribeRequest;
using Response = wire::ConsumerGroupDescribeResponse;

/// Read, delete, describe, describe and alter configs, by Kafka's numbers.
constexpr std::int32_t kGroupOperations = 1 << 3 | 1 << 6 | 1 << 8 | 1 << 10 | 1 << 11;
/// What a partition of a member takes in an answer, with its share of the topic's name.
constexpr std::size_t kAssignedBytes = 32;
constexpr std::int8_t kClassicMember = 0;
constexpr std::int8_t kConsumerMember = 1;

template <class Assignment>
void fill(const state::Catalog& catalog, const state::PartitionList& list, Assignment& out) {
  for (const state::PartitionRef& at : list) {
    const state::TopicInfo* topic = catalog.topic(at.topic);
    if (topic == nullptr) continue;
    auto& topics = out.topic_partitions;
    if (topics.empty() || topics.back().topic_id != at.topic)
      topics.push_back({.topic_id = at.topic, .topic_name = topic->name, .partitions = {}});
    topics.back().partitions.push_back(at.partition.value);
  }
}

void fill(const state::Catalog& catalog, engine::ConsumerGroupDescription& found,
          Response::DescribedGroup& out) {
  out.group_state = found.state;
  out.group_epoch = found.epoch;
  out.assignment_epoch = found.target_epoch;
  out.assignor_name = found.assignor;
  for (engine::ConsumerMemberDescription& member : found.members) {
    auto& to = out.members.emplace_back();
    to.member_id = std::move(member.id);
    to.instance_id = std::move(member.instance);
    to.rack_id = std::move(member.rack);
    to.member_epoch = member.epoch;
    to.client_id = std::move(member.client_id);
    to.client_host = std::move(member.client_host);
    to.subscribed_topic_names = std::move(member.topics);
    to.subscribed_topic_regex = std::move(member.regex);
    fill(catalog, member.assigned, to.assignment);
    fill(catalog, member.target, to.target_assignment);
    to.member_type = member.classic ? kClassicMember : kConsumerMember;
  }
}

std::size_t answer_bytes(const engine::ConsumerGroupDescription& found) {
  std::size_t bytes = sizeof(Response::DescribedGroup);
  for (const engine::ConsumerMemberDescription& member : found.members) {
    bytes += sizeof(Response::Member) + member.id.size() + member.client_id.size();
    for (const std::string& topic : member.topics) bytes += sizeof(topic) + topic.size();
    // Names of topics beside partitions: at worst one each.
    bytes += (member.assigned.size() + member.target.size()) * kAssignedBytes;
  }
  return bytes;
}

rt::Task<Response> handle(Broker& broker, const RequestContext& context, Request request,
                          AnswerRoom& room) {
  fold_repeated(request.group_ids, [](const std::string& group) { return group; });
  std::string assignor = config::group_settings(broker.config_sources(), "").assignors.front();
  auto found = co_await broker.engine().consumer_groups().describe(
      request.group_ids, std::move(assignor), deadline_of(context.api_key, context.arrived));
  Response response;
  for (std::size_t i = 0; i < found.size(); ++i) {
    Response::DescribedGroup& out = response.groups.emplace_back();
    out.group_id = request.group_ids[i];
    const auto refuse = [&](KafkaError error, std::string message) {
      out.error_code = context.tell(error);
      out.error_message = std::move(message);
    };
    if (check_group_id(out.group_id) != KafkaError::none) {
      refuse(KafkaError::invalid_group_id, "The group id is empty or too long.");
    } else if (found[i].refusal == state::Refusal::group_not_found) {
      refuse(KafkaError::group_id_not_found, "Group " + out.group_id + " not found.");
    } else if (!found[i].ok()) {
      refuse(error_of(found[i]),
             found[i].failure ? found[i].failure->message : refusal_text(found[i].refusal));
    } else if (!co_await room.take(answer_bytes(found[i]))) {
      refuse(KafkaError::coordinator_load_in_progress, room.refusal("groups"));
    } else {
      fill(broker.catalog(), found[i], out);
      if (request.include_authorized_operations) out.authorized_operations = kGroupOperations;
    }
  }
  co_return response;
}

}  // namespace

rt::Task<Reply> consumer_group_describe(Broker& broker, RequestContext& context, SharedBytes body) {
  return serve_large<Request, Response, handle>(broker, context, std::move(body));
}

}  // namespace weir::broker::handlers
