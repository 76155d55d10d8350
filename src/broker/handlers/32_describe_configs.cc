// 32 DescribeConfigs, versions 1-4.
//
// Serves: topics (2), brokers (4; "" for the defaults of all brokers, which lists what is set),
// broker loggers (8; there are none) and client metrics subscriptions (16; nothing for one that
// does not exist). Every known config with value, source, synonyms, type,
// documentation, read-only and sensitive flags; the key filter, null or empty for all. Values of
// passwords are never sent. Everything after a barrier, so that a change is seen at once on every
// broker. Other resource types: INVALID_REQUEST. A resource named twice is described once; where
// there is no memory for the answer: POLICY_VIOLATION.
#include <algorithm>

#include "broker/deadlines.h"
#include "broker/handlers/config_resources.h"
#include "broker/handlers/handlers.h"
#include "broker/handlers/repeated.h"
#include "broker/serve.h"
#include "wire/describe_configs.h"

namespace weir::broker::handlers {
namespace {

using Request = wire::DescribeConfigsRequest;
using Response = wire::DescribeConfigsResponse;
using Asked = Request::DescribeConfigsResource;
using Row = Response::DescribeConfigsResourceResult;

bool asks_all(const Asked& asked) {
  return !asked.configuration_keys || asked.configuration_keys->empty();
}

/// Each resource once, with all the keys that are asked for, sorted.
void fold(std::vector<Asked>& resources) {
  fold_repeated(
      resources,
      [](const Asked& asked) { return std::pair(asked.resource_type, asked.resource_name); },
      [](Asked& first, Asked& later) {
        if (asks_all(first) || asks_all(later)) return first.configuration_keys.reset();
        first.configuration_keys->insert(first.configuration_keys->end(),
                                         later.configuration_keys->begin(),
                                         later.configuration_keys->end());
      });
  for (Asked& asked : resources)
    if (asked.configuration_keys) std::ranges::sort(*asked.configuration_keys);
}

bool is_asked(const Asked& asked, std::string_view name) {
  const auto& keys = asked.configuration_keys;
  return !keys || keys->empty() || std::ranges::binary_search(*keys, name);
}

Row make_row(const Request& request, const config::ConfigDef& def,
             const std::vector<config::Layer>& layers) {
  Row row;
  row.name = def.name;
  row.is_sensitive = def.sensitive();
  row.config_type = static_cast<std::int8_t>(def.type);
  row.config_source = static_cast<std::int8_t>(config::Source::defaults);
  row.value.reset();
  row.documentation.reset();
  if (request.include_documentation) row.documentation = def.doc;
  if (layers.empty()) return row;
  row.config_source = static_cast<std::int8_t>(layers.front().source);
  if (!def.sensitive()) row.value = layers.front().value;
  if (!request.include_synonyms) return row;
  for (const config::Layer& layer : layers)
    row.synonyms.push_back({.name = layer.name,
                            .value = def.sensitive() ? std::nullopt : layer.value,
                            .source = static_cast<std::int8_t>(layer.source)});
  return row;
}

/// Kafka names as synonyms only broker configs and what is set on the topic, not the topic's own
/// default.
void drop_own_default(const config::ConfigDef& def, Row& row) {
  const config::ConfigDef* synonym = config::find_def(config::broker_defs(), def.synonym);
  if (synonym && synonym->default_value) return;
  std::erase_if(row.synonyms, [](const auto& item) {
    return item.source == static_cast<std::int8_t>(config::Source::defaults);
  });
}

void describe_topic(const Broker& broker, const Request& request, const Asked& asked,
                    const state::TopicInfo& topic, Response::DescribeConfigsResult& out) {
  for (const auto& piece : config::topic_defs())
    for (const config::ConfigDef& def : piece) {
      if (!is_asked(asked, def.name)) continue;
      out.configs.push_back(make_row(
          request, def, config::topic_layers(broker.config_sources(), topic.configs, def)));
      drop_own_default(def, out.configs.back());
    }
}

/// The number of a broker is known only once it has registered, not when its options are read.
void add_node_id(std::optional<NodeId> node, const config::ConfigDef& def,
                 std::vector<config::Layer>& layers) {
  const std::string_view name = def.name;
  if (!node || (name != "node.id" && name != "broker.id")) return;
  std::erase_if(layers, [](const config::Layer& layer) {
    return layer.source == config::Source::static_broker;
  });
  layers.insert(layers.begin(),
                {def.name, std::to_string(node->value), config::Source::static_broker});
}

void describe_broker(const Broker& broker, const Request& request, const Asked& asked,
                     std::optional<NodeId> node, Response::DescribeConfigsResult& out) {
  const config::Sources sources{broker.given(), broker.catalog(), node.value_or(NodeId(-1))};
  for (const auto& piece : config::broker_defs())
    for (const config::ConfigDef& def : piece) {
      if (!is_asked(asked, def.name)) continue;
      auto layers = config::broker_layers(sources, def, !node);
      add_node_id(node, def, layers);
      if (!node && layers.empty()) continue;
      out.configs.push_back(make_row(request, def, layers));
      out.configs.back().read_only = def.change == config::Change::never;
    }
}

void describe_named(const Broker& broker, const Request& request, const Asked& asked,
                    const NamedKind& named, Response::DescribeConfigsResult& out) {
  const auto& configs = broker.catalog().resource_configs(named.type(), asked.resource_name);
  if (configs.empty()) return;
  for (const auto& piece : named.defs())
    for (const config::ConfigDef& def : piece) {
      if (!is_asked(asked, def.name)) continue;
      out.configs.push_back(make_row(request, def, config::own_layers(configs, def, named.source)));
      // Kafka names what is set on a subscription and no default.
      if (named.kind == ResourceKind::client_metrics) drop_own_default(def, out.configs.back());
    }
}

Response::DescribeConfigsResult describe(const Broker& broker, const RequestContext& context,
                                         const Request& request, const Asked& asked) {
  Response::DescribeConfigsResult out;
  out.error_message.reset();
  out.resource_type = asked.resource_type;
  out.resource_name = asked.resource_name;
  const FoundResource found = find_resource(broker, asked.resource_type, asked.resource_name, true);
  if (found.error != KafkaError::none) {
    out.error_code = context.tell(found.error);
    out.error_message = found.message;
  } else if (found.topic) {
    describe_topic(broker, request, asked, *found.topic, out);
  } else if (found.named) {
    describe_named(broker, request, asked, *found.named, out);
  } else if (found.kind == ResourceKind::broker) {
    describe_broker(broker, request, asked, found.node, out);
  }
  return out;
}

Response::DescribeConfigsResult failed(const RequestContext& context, const Asked& asked,
                                       const Error& why) {
  return {.error_code = context.tell(to_kafka(ApiClass::admin, why.code)),
          .error_message = why.message,
          .resource_type = asked.resource_type,
          .resource_name = asked.resource_name,
          .configs = {}};
}

/// Before and after encoding.
std::size_t answer_bytes(const Response::DescribeConfigsResult& found) {
  std::size_t bytes = sizeof(found) + 2 * found.resource_name.size();
  for (const Row& row : found.configs) {
    const std::size_t texts = row.name.size() + (row.value ? row.value->size() : 0) +
                              (row.documentation ? row.documentation->size() : 0);
    bytes += sizeof(row) + 2 * texts;
    for (const auto& synonym : row.synonyms)
      bytes +=
          sizeof(synonym) + 2 * (synonym.name.size() + (synonym.value ? synonym.value->size() : 0));
  }
  return bytes;
}

rt::Task<Response> handle(Broker& broker, const RequestContext& context, Request request,
                          AnswerRoom& room) {
  fold(request.resources);
  const Result<void> barrier =
      co_await broker.engine().barrier(deadline_of(context.api_key, context.arrived));
  Response response;
  for (const Asked& asked : request.resources) {
    if (!barrier) {
      response.results.push_back(failed(context, asked, barrier.error()));
      continue;
    }
    // One resource has a few hundred configs at most, so it may be built to see what it takes.
    Response::DescribeConfigsResult found = describe(broker, context, request, asked);
    if (!co_await room.take(answer_bytes(found)))
      found = failed(context, asked, {ErrorCode::too_large, room.refusal("resources")});
    response.results.push_back(std::move(found));
  }
  co_return response;
}

}  // namespace

rt::Task<Reply> describe_configs(Broker& broker, RequestContext& context, SharedBytes body) {
  return serve_large<Request, Response, handle>(broker, context, std::move(body));
}

}  // namespace weir::broker::handlers
