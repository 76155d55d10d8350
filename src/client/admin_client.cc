#include "client/admin_client.h"

#include "base/narrow.h"
#include "client/kafka_error.h"

namespace weir::client {
namespace {

/// What the broker may take, in the request's terms: a little less than what is left.
std::int32_t timeout_ms(rt::Loop& loop, MonoTime deadline) {
  auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - loop.now()).count();
  return narrow<std::int32_t>(std::clamp<std::int64_t>(left, 1, 60'000));
}

std::string source_name(std::int8_t source) {
  switch (source) {
    case 1: return "topic";
    case 2: return "broker";
    case 3: return "brokers";
    case 4: return "static";
    case 5: return "default";
    case 6: return "logger";
    case 7: return "client-metrics";
    case 8: return "group";
    default: return "unknown";
  }
}

ItemOutcome outcome(std::string name, std::int16_t code,
                    const std::optional<std::string>& message) {
  ItemOutcome item{.name = std::move(name)};
  if (code != 0) item.error = to_error(code, message);
  return item;
}

constexpr std::int8_t kConfigSet = 0;
constexpr std::int8_t kConfigDelete = 1;
constexpr std::int8_t kSourceDefault = 5;

}  // namespace

/// Retries transport errors only; codes inside an answer are the outcome.
template <class Request>
rt::Task<Result<ResponseOf<Request>>> AdminClient::call(Request request, MonoTime deadline,
                                                        std::int16_t version_max) {
  for (int attempt = 0;; ++attempt) {
    Result<ResponseOf<Request>> answer = co_await cluster_.call(
        std::nullopt, request,
        {.deadline = std::min(deadline, cluster_.loop().now() + kRequestTimeout),
         .version_max = version_max});
    if (answer || !is_retriable(answer.error())) co_return answer;
    if (!co_await cluster_.pause(attempt, deadline)) co_return answer;
  }
}

rt::Task<Result<std::vector<ItemOutcome>>> AdminClient::create_topics(std::vector<NewTopic> topics,
                                                                      MonoTime deadline) {
  wire::CreateTopicsRequest request;
  request.timeout_ms = timeout_ms(cluster_.loop(), deadline);
  for (NewTopic& topic : topics) {
    auto& item = request.topics.emplace_back();
    item.name = std::move(topic.name);
    item.num_partitions = topic.partitions;
    item.replication_factor = topic.replication_factor;
    for (auto& [key, value] : topic.configs) {
      auto& config = item.configs.emplace_back();
      config.name = std::move(key);
      config.value = std::move(value);
    }
  }
  Result<wire::CreateTopicsResponse> answer = co_await call(std::move(request), deadline);
  if (!answer) co_return std::unexpected(answer.error());
  std::vector<ItemOutcome> outcomes;
  for (const auto& topic : answer->topics) {
    outcomes.push_back(outcome(topic.name, topic.error_code, topic.error_message));
    cluster_.forget(topic.name);
  }
  co_return outcomes;
}

rt::Task<Result<std::vector<ItemOutcome>>> AdminClient::delete_topics(
    std::vector<std::string> names, MonoTime deadline) {
  wire::DeleteTopicsRequest request;
  request.timeout_ms = timeout_ms(cluster_.loop(), deadline);
  for (const std::string& name : names) cluster_.forget(name);
  request.topic_names = std::move(names);
  // Version 6 names topics in another field; names are all that people give us.
  constexpr std::int16_t kNamesVersionMax = 5;
  Result<wire::DeleteTopicsResponse> answer =
      co_await call(std::move(request), deadline, kNamesVersionMax);
  if (!answer) co_return std::unexpected(answer.error());
  std::vector<ItemOutcome> outcomes;
  for (const auto& topic : answer->responses)
    outcomes.push_back(outcome(topic.name.value_or(""), topic.error_code, topic.error_message));
  co_return outcomes;
}

rt::Task<Result<void>> AdminClient::grow_topic(std::string name, std::int32_t partitions,
                                               MonoTime deadline) {
  wire::CreatePartitionsRequest request;
  request.timeout_ms = timeout_ms(cluster_.loop(), deadline);
  auto& topic = request.topics.emplace_back();
  topic.name = name;
  topic.count = partitions;
  topic.assignments.reset();
  Result<wire::CreatePartitionsResponse> answer = co_await call(std::move(request), deadline);
  cluster_.forget(name);
  if (!answer) co_return std::unexpected(answer.error());
  if (answer->results.empty())
    co_return fail(ErrorCode::corrupt, "the answer to CreatePartitions names no topic");
  const auto& result = answer->results.front();
  if (result.error_code != 0)
    co_return std::unexpected(to_error(result.error_code, result.error_message));
  co_return Result<void>();
}

rt::Task<Result<std::vector<ConfigEntry>>> AdminClient::describe_configs(ConfigTarget target,
                                                                         MonoTime deadline) {
  wire::DescribeConfigsRequest request;
  auto& resource = request.resources.emplace_back();
  resource.resource_type = static_cast<std::int8_t>(target.kind);
  resource.resource_name = std::move(target.name);
  resource.configuration_keys.reset();
  Result<wire::DescribeConfigsResponse> answer = co_await call(std::move(request), deadline);
  if (!answer) co_return std::unexpected(answer.error());
  if (answer->results.empty())
    co_return fail(ErrorCode::corrupt, "the answer to DescribeConfigs names no resource");
  const auto& result = answer->results.front();
  if (result.error_code != 0)
    co_return std::unexpected(to_error(result.error_code, result.error_message));
  std::vector<ConfigEntry> entries;
  entries.reserve(result.configs.size());
  for (const auto& config : result.configs)
    entries.push_back({.name = config.name,
                       .value = config.value,
                       .source = source_name(config.config_source),
                       .is_default = config.config_source == kSourceDefault,
                       .read_only = config.read_only,
                       .sensitive = config.is_sensitive,
                       .documentation = config.documentation.value_or("")});
  co_return entries;
}

rt::Task<Result<ClusterDescription>> AdminClient::describe_cluster(MonoTime deadline) {
  Result<wire::DescribeClusterResponse> answer =
      co_await call(wire::DescribeClusterRequest(), deadline);
  if (!answer) co_return std::unexpected(answer.error());
  if (answer->error_code != 0)
    co_return std::unexpected(to_error(answer->error_code, answer->error_message));
  ClusterDescription out{answer->cluster_id, NodeId(answer->controller_id), {}};
  for (const auto& broker : answer->brokers)
    out.brokers.push_back({NodeId(broker.broker_id),
                           {broker.host, static_cast<std::uint16_t>(broker.port)},
                           broker.rack});
  co_return out;
}

rt::Task<Result<void>> AdminClient::alter_configs(ConfigTarget target,
                                                  std::vector<ConfigChange> changes,
                                                  MonoTime deadline) {
  wire::IncrementalAlterConfigsRequest request;
  auto& resource = request.resources.emplace_back();
  resource.resource_type = static_cast<std::int8_t>(target.kind);
  resource.resource_name = std::move(target.name);
  for (ConfigChange& change : changes) {
    auto& config = resource.configs.emplace_back();
    config.name = std::move(change.first);
    config.config_operation = change.second ? kConfigSet : kConfigDelete;
    config.value = std::move(change.second);
  }
  Result<wire::IncrementalAlterConfigsResponse> answer =
      co_await call(std::move(request), deadline);
  if (!answer) co_return std::unexpected(answer.error());
  if (answer->responses.empty())
    co_return fail(ErrorCode::corrupt, "the answer to IncrementalAlterConfigs names no resource");
  const auto& result = answer->responses.front();
  if (result.error_code != 0)
    co_return std::unexpected(to_error(result.error_code, result.error_message));
  co_return Result<void>();
}

}  // namespace weir::client
