// 00 Produce, versions 3-13 (listed from 0 in ApiVersions; 0-2 are refused).
//
// Serves: acks -1 and 1 alike, 0 without an answer (an error then closes the connection); topics by
// id (13+); one batch of format 2 per partition, uncopied from the socket to the store; errors of
// single records (8+); current leaders (10+) where a client must move; `timeout.ms`:
// REQUEST_TIMED_OUT, and the batch may still land. LogAppendTime, `compression.type`, keys of
// compacted topics, size and time limits by the topic's configs. One bad partition does not fail
// the others; the good ones are one commit. Batches of one connection are appended in the order of
// their requests, also where some take a detour over a worker. Not yet: transactional batches
// (INVALID_TXN_STATE).
#include <set>

#include "broker/deadlines.h"
#include "broker/handlers/handlers.h"
#include "broker/handlers/produce_check.h"
#include "broker/limits.h"
#include "broker/memory_budget.h"
#include "broker/placement.h"
#include "broker/refusal_text.h"
#include "broker/serve.h"
#include "broker/topic_lookup.h"
#include "wire/produce.h"

namespace weir::broker::handlers {
namespace {

using Request = wire::ProduceRequest;
using Response = wire::ProduceResponse;

bool acks_valid(std::int16_t acks) { return acks >= -1 && acks <= 1; }

/// The part of the work that needs no state: on the lane.
std::vector<ProducePart> check_all(const Request& request, std::int16_t version) {
  std::vector<ProducePart> parts;
  std::set<std::pair<std::pair<TopicId, std::string>, std::int32_t>> seen;
  for (std::size_t t = 0; t < request.topic_data.size(); ++t) {
    const auto& topic = request.topic_data[t];
    for (std::size_t p = 0; p < topic.partition_data.size(); ++p) {
      const auto& partition = topic.partition_data[p];
      ProducePart& part = parts.emplace_back();
      part.topic = t;
      part.partition = p;
      if (!acks_valid(request.acks))
        part.refuse(KafkaError::invalid_required_acks, "acks must be -1, 0 or 1.");
      else if (!seen.emplace(std::pair(topic.topic_id, topic.name), partition.index).second)
        part.refuse(KafkaError::invalid_request, "the partition is named twice.");
      else
        check_batch(partition.records, version, part);
    }
  }
  return parts;
}

bool locate(const Broker& broker, const Request& request, std::int16_t version, ProducePart& part) {
  const auto& topic = request.topic_data[part.topic];
  const std::int32_t index = topic.partition_data[part.partition].index;
  const state::TopicInfo* found = version >= 13
                                      ? broker.catalog().topic(topic.topic_id)
                                      : broker.catalog().topic(std::string_view(topic.name));
  if (!found || !has_partition(*found, index)) return false;
  part.item.at = {found->id, PartitionIndex(index)};
  return true;
}

/// Finds each good part's partition; what is not there after a barrier is refused.
rt::Task<void> locate_all(Broker& broker, const Request& request, std::int16_t version,
                          std::vector<ProducePart>& parts, MonoTime deadline) {
  FreshLook fresh(broker, deadline);
  for (ProducePart& part : parts) {
    if (!part.good() || locate(broker, request, version, part)) continue;
    const Result<void> barrier = co_await fresh.ensure();
    if (locate(broker, request, version, part)) continue;
    const bool unknown_id =
        version >= 13 && !broker.catalog().topic(request.topic_data[part.topic].topic_id);
    if (!barrier)
      part.refuse(to_kafka(ApiClass::produce, barrier.error().code), barrier.error().message);
    else
      part.refuse(
          unknown_id ? KafkaError::unknown_topic_id : KafkaError::unknown_topic_or_partition,
          "this broker knows no such partition.");
  }
}

/// Does the slow work of one part on a worker. How far its records unfold is known only by doing
/// it, so memory is taken for what is usual, and more for the batch that turns out to be unusual.
rt::Task<void> rework_within_memory(Broker& broker, const Rework& what,
                                    config::TopicSettings settings, WallMillis now,
                                    ProducePart& part, MonoTime deadline) {
  SharedPool& pool = broker.memory().decode;
  const std::size_t most = std::min(settings.records_bytes_max, pool.pool().bytes_max());
  settings.records_bytes_max =
      std::min(most, std::max(kDecodedBytesMin, part.item.batch.size() * kDecodedRatio));
  for (;;) {
    // The decoder's buffer grows by doubling, and what is compressed again needs a place, too.
    const std::size_t bytes = std::min(2 * settings.records_bytes_max, pool.pool().bytes_max());
    if (!co_await pool.reserve(broker.loop(), bytes, deadline))
      co_return part.refuse(KafkaError::request_timed_out,
                            "no memory came free in time to look into the batch.");
    const bool enough = co_await rt::run_blocking(
        broker.loop(), broker.workers(), [&] { return rework(what, settings, now, part); });
    pool.pool().release(bytes);
    if (enough) co_return;
    if (settings.records_bytes_max == most) co_return refuse_large_records(part, most);
    settings.records_bytes_max = std::min(most, settings.records_bytes_max * kDecodedRatio);
  }
}

/// Applies the topics' configs; slow work is done on workers, one batch after another.
rt::Task<void> apply_all(Broker& broker, std::vector<ProducePart>& parts, MonoTime deadline) {
  const WallMillis now = broker.loop().wall_now();
  for (ProducePart& part : parts) {
    if (!part.good()) continue;
    const state::TopicInfo* topic = broker.catalog().topic(part.item.at.topic);
    // Deleted a moment ago: the engine will say so.
    if (!topic) continue;
    const config::TopicSettings settings = broker.settings_of(*topic);
    const Rework what = apply_settings(settings, now, part);
    if (part.good() && what.any())
      co_await rework_within_memory(broker, what, settings, now, part, deadline);
  }
}

/// In its turn, and all good parts in one call.
rt::Task<void> append_all(Broker& broker, const RequestContext& context,
                          std::vector<ProducePart>& parts, MonoTime deadline) {
  std::vector<engine::ProduceItem> items;
  for (const ProducePart& part : parts)
    if (part.good()) items.push_back(part.item);
  Turnstile& order = context.connection.produce_order;
  co_await order.enter(context.ticket);
  // Who waits behind runs only when this task has suspended, and by then its items are queued.
  order.leave(context.ticket);
  if (items.empty()) co_return;
  auto outcomes = co_await broker.engine().produce(std::move(items), deadline);
  std::size_t next = 0;
  for (ProducePart& part : parts)
    if (part.good()) part.outcome = std::move(outcomes.at(next++));
}

/// Turns what the engine said into the part's error.
void judge(std::int16_t version, ProducePart& part) {
  if (!part.good() || part.outcome.ok()) return;
  if (part.outcome.failure) {
    part.refuse(to_kafka(ApiClass::produce, part.outcome.failure->code),
                part.outcome.failure->message + ".");
    return;
  }
  const state::Refusal refusal = part.outcome.refusal;
  KafkaError error = to_kafka(ApiClass::produce, refusal);
  if (refusal == state::Refusal::unknown_topic && version >= 13)
    error = KafkaError::unknown_topic_id;
  if (error != KafkaError::none) part.refuse(error, refusal_text(refusal));
}

void add_leader(const Broker& broker, const RequestContext& context, const ProducePart& part,
                Response& response, Response::PartitionProduceResponse& row) {
  const bool must_move = part.error == KafkaError::not_leader_or_follower ||
                         part.error == KafkaError::fenced_leader_epoch;
  const Placement placement(broker.engine(), context.connection.listener, context.zone);
  if (context.version < 10 || !must_move || !placement.known()) return;
  const NodeId leader = placement.leader(part.item.at);
  row.current_leader = {.leader_id = leader.value, .leader_epoch = placement.epoch().value};
  for (const auto& known : response.node_endpoints)
    if (known.node_id == leader.value) return;
  if (const auto node = placement.find(leader))
    response.node_endpoints.push_back(
        {.node_id = node->id.value, .host = node->host, .port = node->port, .rack = node->rack});
}

Response build(const Broker& broker, const RequestContext& context, const Request& request,
               std::vector<ProducePart>& parts) {
  Response response;
  for (const auto& topic : request.topic_data)
    response.responses.push_back({.name = topic.name, .topic_id = topic.topic_id});
  for (ProducePart& part : parts) {
    judge(context.version, part);
    const auto& asked = request.topic_data[part.topic].partition_data[part.partition];
    auto& row = response.responses[part.topic].partition_responses.emplace_back();
    row.index = asked.index;
    row.error_code = context.tell(part.error);
    row.base_offset = part.good() ? part.outcome.base_offset.value : -1;
    row.log_start_offset = part.outcome.log_start.value;
    row.log_append_time_ms = part.good() ? part.log_append_time_ms : -1;
    if (part.good() || context.version < 8) continue;
    row.error_message = part.message;
    for (RecordProblem& problem : part.record_errors)
      row.record_errors.push_back({problem.index, std::move(problem.message)});
    add_leader(broker, context, part, response, row);
  }
  return response;
}

const ProducePart* first_bad(const std::vector<ProducePart>& parts) {
  for (const ProducePart& part : parts)
    if (!part.good()) return &part;
  return nullptr;
}

}  // namespace

rt::Task<Reply> produce(Broker& broker, RequestContext& context, SharedBytes body) {
  Request request;
  auto decoded = decode_request(request, std::move(body), context.version);
  std::vector<ProducePart> parts;
  if (decoded) parts = check_all(request, context.version);
  co_await rt::resume_on(broker.loop());
  const MonoTime deadline =
      deadline_of(context.api_key, context.arrived, std::max(request.timeout_ms, 0));
  co_await locate_all(broker, request, context.version, parts, deadline);
  co_await apply_all(broker, parts, deadline);
  co_await append_all(broker, context, parts, deadline);
  Response response = build(broker, context, request, parts);
  co_await rt::resume_on(*context.connection.lane);
  if (!decoded) co_return undecodable(decoded.error());
  if (request.acks != 0) co_return encode_reply(response, context);
  const ProducePart* bad = first_bad(parts);
  if (bad == nullptr) co_return Reply::silent();
  co_return Reply::close("produce error with acks=0: " + bad->message);
}

}  // namespace weir::broker::handlers
