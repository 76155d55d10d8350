// 72 PushTelemetry, version 0 (KIP-714).
//
// Serves: metrics as OTLP, decompressed within a limit, kept in bounded number and shown by
// /metrics of this broker. No instance id, or a push after the last: INVALID_REQUEST. Too early:
// THROTTLING_QUOTA_EXCEEDED. Under an outdated number: UNKNOWN_SUBSCRIPTION_ID, the client asks
// again. Unknown codecs: UNSUPPORTED_COMPRESSION_TYPE. Over `telemetry.max.bytes`:
// TELEMETRY_TOO_LARGE. What is no OTLP message: INVALID_RECORD.
#include "broker/handlers/handlers.h"
#include "broker/handlers/telemetry_client.h"
#include "broker/limits.h"
#include "broker/serve.h"
#include "codec/codec.h"
#include "rt/workers.h"
#include "wire/push_telemetry.h"

namespace weir::broker::handlers {
namespace {

using Request = wire::PushTelemetryRequest;
using Response = wire::PushTelemetryResponse;
using telemetry::ClientMetrics;

KafkaError judge(Broker& broker, const Request& request,
                 const telemetry::Subscription& subscription) {
  if (request.client_instance_id.is_nil()) return KafkaError::invalid_request;
  switch (broker.client_metrics().push(request.client_instance_id, subscription.interval,
                                       request.terminating, broker.loop().now())) {
    case ClientMetrics::Ask::after_goodbye: return KafkaError::invalid_request;
    case ClientMetrics::Ask::too_early: return KafkaError::throttling_quota_exceeded;
    case ClientMetrics::Ask::accepted: break;
  }
  if (request.subscription_id != subscription.id) return KafkaError::unknown_subscription_id;
  if (request.compression_type < 0 ||
      request.compression_type > static_cast<std::int8_t>(codec::Codec::zstd))
    return KafkaError::unsupported_compression_type;
  const std::int64_t bytes_max =
      config::broker_integer(broker.config_sources(), "telemetry.max.bytes");
  if (static_cast<std::int64_t>(request.metrics.size()) > bytes_max)
    return KafkaError::telemetry_too_large;
  return KafkaError::none;
}

Result<std::vector<telemetry::Point>> read(const Request& request) {
  Result<Buffer> plain = codec::decompress(static_cast<codec::Codec>(request.compression_type),
                                           request.metrics.view(), kTelemetryPlainBytesMax);
  if (!plain) return std::unexpected(plain.error());
  return telemetry::read_metrics(plain->data(), kTelemetryPointsMax);
}

rt::Task<Response> handle(Broker& broker, const RequestContext& context, Request request) {
  Response response;
  const Uuid instance = request.client_instance_id;
  const telemetry::ClientTraits client = telemetry_client(context, instance);
  KafkaError error =
      judge(broker, request, broker.subscriptions().of(broker.catalog(), instance, client));
  if (error == KafkaError::none && request.metrics.size() != 0) {
    const Result<std::vector<telemetry::Point>> points =
        co_await rt::run_blocking(broker.loop(), broker.workers(), [&] { return read(request); });
    if (points)
      broker.client_metrics().store(instance, client, *points);
    else
      error = points.error().is(ErrorCode::too_large) ? KafkaError::telemetry_too_large
                                                      : KafkaError::invalid_record;
  }
  // Only these two make a client ask for its subscription anew before its time.
  if (error == KafkaError::unknown_subscription_id ||
      error == KafkaError::unsupported_compression_type)
    broker.client_metrics().refused(instance);
  response.error_code = context.tell(error);
  co_return response;
}

}  // namespace

rt::Task<Reply> push_telemetry(Broker& broker, RequestContext& context, SharedBytes body) {
  return serve<Request, Response, handle>(broker, context, std::move(body));
}

}  // namespace weir::broker::handlers
