// 01 Fetch, versions 4-18.
//
// Serves: long-polls (max_wait, min_bytes), limits with the first batch always (the engine's rule),
// fetch sessions (7+, KIP-227; fetch_session.h), topic ids (13+), leader epochs (9+,
// docs/design.md, 12), isolation levels with aborted transactions, current leader (12+) and its
// endpoint (16+) where a client must move. An error of one partition answers the whole request at
// once. Preferred read replica: never (Metadata already names a leader in the client's zone).
// Diverging epochs: never, for no end is ever truncated. A parked fetch ends when its connection
// does.
#include "broker/deadlines.h"
#include "broker/handlers/fetch_plan.h"
#include "broker/handlers/handlers.h"
#include "broker/memory_budget.h"
#include "broker/serve.h"
#include "wire/fetch.h"

namespace weir::broker::handlers {
namespace {

using Request = wire::FetchRequest;
using Response = wire::FetchResponse;
using Answer = Response::PartitionData;

std::uint32_t positive(std::int64_t value) {
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(value, 0, INT32_MAX));
}

engine::FetchOptions options_of(const Broker& broker, const RequestContext& context,
                                const Request& request, bool at_once) {
  const std::uint32_t most =
      positive(config::broker_integer(broker.config_sources(), "fetch.max.bytes"));
  engine::FetchOptions options;
  options.bytes_max = std::min(positive(request.max_bytes), most);
  options.bytes_min = std::min(positive(request.min_bytes), options.bytes_max);
  options.isolation = request.isolation_level == 1 ? engine::Isolation::read_committed
                                                   : engine::Isolation::read_uncommitted;
  options.deadline = at_once ? context.arrived
                             : deadline_of(context.api_key, context.arrived,
                                           std::max<std::int64_t>(request.max_wait_ms, 0));
  return options;
}

/// Fetches what can be fetched; the other asks have their errors already.
rt::Task<std::vector<engine::FetchedPartition>> read(Broker& broker, const RequestContext& context,
                                                     const Request& request,
                                                     const std::vector<ResolvedAsk>& asks) {
  std::vector<engine::FetchItem> items;
  bool errors = false;
  for (const ResolvedAsk& ask : asks) {
    errors |= ask.error != KafkaError::none;
    if (ask.error != KafkaError::none) continue;
    items.push_back({ask.at, Offset(ask.ask.offset), positive(ask.ask.bytes_max)});
  }
  if (items.empty() && errors) co_return std::vector<engine::FetchedPartition>();
  co_return co_await broker.engine().fetch(std::move(items),
                                           options_of(broker, context, request, errors),
                                           &context.connection.cancelled);
}

KafkaError error_of(const engine::FetchedPartition& got, bool by_id) {
  if (got.failure) return to_kafka(ApiClass::fetch, got.failure->code);
  if (got.refusal == state::Refusal::unknown_topic && by_id) return KafkaError::unknown_topic_id;
  return to_kafka(ApiClass::fetch, got.refusal);
}

void fill_records(const Request& request, engine::FetchedPartition& got, Answer& answer) {
  answer.high_watermark = got.info.end.value;
  answer.last_stable_offset = got.info.last_stable.value;
  answer.log_start_offset = got.info.start.value;
  answer.records = std::move(got.records);
  if (request.isolation_level != 1) return;
  answer.aborted_transactions.emplace();
  for (const engine::AbortedTransaction& aborted : got.aborted)
    answer.aborted_transactions->push_back({aborted.producer.value, aborted.first_offset.value});
}

void fill_error(const RequestContext& context, const Placement& placement, const ResolvedAsk& ask,
                KafkaError error, Response& response, Answer& answer) {
  answer.error_code = context.tell(error);
  answer.high_watermark = -1;
  answer.records = BytesChain();
  const bool must_move =
      error == KafkaError::fenced_leader_epoch || error == KafkaError::not_leader_or_follower;
  if (!must_move || !placement.known() || ask.at.topic.is_nil()) return;
  const NodeId leader = placement.leader(ask.at);
  answer.current_leader = {.leader_id = leader.value, .leader_epoch = placement.epoch().value};
  if (context.version < 16) return;
  for (const auto& known : response.node_endpoints)
    if (known.node_id == leader.value) return;
  if (const auto node = placement.find(leader))
    response.node_endpoints.push_back(
        {.node_id = node->id.value, .host = node->host, .port = node->port, .rack = node->rack});
}

FetchNews news_of(const Answer& answer) {
  return {.has_records = answer.records && !answer.records->empty(),
          .has_error = answer.error_code != 0,
          .high_watermark = answer.high_watermark,
          .last_stable = answer.last_stable_offset,
          .log_start = answer.log_start_offset};
}

void append(Response& response, const FetchKey& key, Answer answer) {
  if (response.responses.empty() || response.responses.back().topic_id != key.id ||
      response.responses.back().topic != key.name) {
    auto& topic = response.responses.emplace_back();
    topic.topic = key.name;
    topic.topic_id = key.id;
  }
  response.responses.back().partitions.push_back(std::move(answer));
}

struct Outcome {
  Response response;
  std::size_t record_bytes = 0;
};

Outcome build(Broker& broker, const RequestContext& context, const Request& request,
              const FetchPlan& plan, std::span<const ResolvedAsk> asks,
              std::vector<engine::FetchedPartition> got, const std::optional<std::string>& zone) {
  const Placement placement(broker.engine(), context.connection.listener, zone);
  Outcome out;
  out.response.session_id = plan.session ? plan.session->id() : 0;
  std::size_t next = 0;
  for (const ResolvedAsk& ask : asks) {
    Answer answer{.partition_index = ask.ask.key.partition};
    answer.aborted_transactions.reset();
    KafkaError error = ask.error;
    if (error == KafkaError::none) {
      engine::FetchedPartition& part = got.at(next++);
      error = error_of(part, context.version >= 13);
      if (error == KafkaError::none) fill_records(request, part, answer);
    }
    if (error != KafkaError::none) fill_error(context, placement, ask, error, out.response, answer);
    const bool told =
        !plan.session || plan.session->note(ask.ask.key, news_of(answer), !plan.incremental);
    if (!told) continue;
    out.record_bytes += answer.records ? answer.records->size() : 0;
    append(out.response, ask.ask.key, std::move(answer));
  }
  return out;
}

/// Holds the pool *out* for the records, or drops them: the client then asks again.
rt::Task<PoolHold> hold_memory(Broker& broker, const RequestContext& context, Outcome& outcome) {
  SharedPool& out = broker.memory().out;
  const MonoTime deadline = broker.loop().now() + 1s;
  if (outcome.record_bytes == 0) co_return PoolHold();
  if (!context.connection.cancelled &&
      co_await out.reserve(broker.loop(), outcome.record_bytes, deadline))
    co_return PoolHold(out.pool(), outcome.record_bytes);
  for (auto& topic : outcome.response.responses)
    for (Answer& answer : topic.partitions) answer.records = BytesChain();
  co_return PoolHold();
}

rt::Task<Outcome> handle(Broker& broker, const RequestContext& context, const Request& request) {
  FetchPlan plan = broker.fetch_sessions().plan(session_request(request, context.version),
                                                broker.loop().now(), broker.random().next());
  if (plan.error != KafkaError::none) {
    Outcome out;
    out.response.error_code = context.tell(plan.error);
    co_return out;
  }
  // What the client says of its place counts more than a guess by its id.
  const std::optional<std::string> zone =
      request.rack_id.empty() || context.zone ? context.zone : std::optional(request.rack_id);
  const auto asks = co_await resolve(broker, context, plan.asks, zone);
  auto got = co_await read(broker, context, request, asks);
  co_return build(broker, context, request, plan, asks, std::move(got), zone);
}

}  // namespace

rt::Task<Reply> fetch(Broker& broker, RequestContext& context, SharedBytes body) {
  Request request;
  if (auto decoded = decode_request(request, std::move(body), context.version); !decoded)
    co_return undecodable(decoded.error());
  co_await rt::resume_on(broker.loop());
  Outcome outcome = co_await handle(broker, context, request);
  PoolHold hold = co_await hold_memory(broker, context, outcome);
  co_await rt::resume_on(*context.connection.lane);
  Reply reply = encode_reply(outcome.response, context);
  reply.hold = std::move(hold);
  co_return reply;
}

}  // namespace weir::broker::handlers
