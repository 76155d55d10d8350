// 71 GetTelemetrySubscriptions, version 0 (KIP-714).
//
// Serves: a client without an instance id gets one; every client gets the union of the
// subscriptions that match it: prefixes of metric names, the shortest interval, the number under
// which it shall push. Asking again before the interval is over: THROTTLING_QUOTA_EXCEEDED, unless
// a push was refused. All brokers answer alike, so the push may go to another.
#include "broker/handlers/handlers.h"
#include "broker/handlers/telemetry_client.h"
#include "broker/serve.h"
#include "codec/codec.h"
#include "wire/get_telemetry_subscriptions.h"

namespace weir::broker::handlers {
namespace {

using Request = wire::GetTelemetrySubscriptionsRequest;
using Response = wire::GetTelemetrySubscriptionsResponse;
using telemetry::ClientMetrics;

/// Kafka's order of preference.
constexpr codec::Codec kCodecs[] = {codec::Codec::zstd, codec::Codec::lz4, codec::Codec::gzip,
                                    codec::Codec::snappy};

rt::Task<Response> handle(Broker& broker, const RequestContext& context, Request request) {
  Response response;
  const Uuid instance = request.client_instance_id.is_nil() ? broker.random().id128<Uuid>()
                                                            : request.client_instance_id;
  const telemetry::Subscription subscription =
      broker.subscriptions().of(broker.catalog(), instance, telemetry_client(context, instance));
  if (broker.client_metrics().ask(instance, subscription.interval, broker.loop().now()) !=
      ClientMetrics::Ask::accepted) {
    response.error_code = context.tell(KafkaError::throttling_quota_exceeded);
    co_return response;
  }
  response.client_instance_id = instance;
  response.subscription_id = subscription.id;
  for (codec::Codec codec : kCodecs)
    response.accepted_compression_types.push_back(static_cast<std::int8_t>(codec));
  response.push_interval_ms = static_cast<std::int32_t>(subscription.interval / 1ms);
  response.telemetry_max_bytes = static_cast<std::int32_t>(
      config::broker_integer(broker.config_sources(), "telemetry.max.bytes"));
  response.delta_temporality = true;
  response.requested_metrics = subscription.metrics;
  co_return response;
}

}  // namespace

rt::Task<Reply> get_telemetry_subscriptions(Broker& broker, RequestContext& context,
                                            SharedBytes body) {
  return serve<Request, Response, handle>(broker, context, std::move(body));
}

}  // namespace weir::broker::handlers
