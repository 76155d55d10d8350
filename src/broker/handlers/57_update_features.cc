// 57 UpdateFeatures, versions 0-2 (KIP-584).
//
// Serves: all updates of a request or none. A level that is in force already: NONE. `weir.version`,
// the feature level of the cluster state, can be raised once every broker supports it. Everything
// else: INVALID_UPDATE_VERSION, because Kafka's features have one level here, and the cluster's
// level never goes back. A feature named twice, unknown upgrade types: INVALID_REQUEST.
// `validate_only` (1+). Versions 0 and 1 repeat the outcome for each feature.
#include <set>

#include "broker/deadlines.h"
#include "broker/features.h"
#include "broker/handlers/handlers.h"
#include "broker/serve.h"
#include "wire/update_features.h"

namespace weir::broker::handlers {
namespace {

using Request = wire::UpdateFeaturesRequest;
using Response = wire::UpdateFeaturesResponse;
using Update = Request::FeatureUpdateKey;

constexpr std::int8_t kUpgrade = 1;
constexpr std::int8_t kUnsafeDowngrade = 3;

struct Verdict {
  KafkaError error = KafkaError::none;
  std::string message;
};

Verdict invalid(const Update& update, const std::string& why) {
  return {KafkaError::invalid_update_version, "Invalid update version " +
                                                  std::to_string(update.max_version_level) +
                                                  " for feature " + update.feature + ". " + why};
}

Verdict judge(const std::vector<Feature>& features, const Update& update) {
  if (update.upgrade_type < kUpgrade || update.upgrade_type > kUnsafeDowngrade)
    return {KafkaError::invalid_request, "Unknown upgrade type for " + update.feature + "."};
  for (const Feature& feature : features) {
    if (feature.name != update.feature) continue;
    if (update.max_version_level == feature.level) return {};
    if (update.max_version_level < feature.lowest || update.max_version_level > feature.highest)
      return invalid(update, "This cluster supports versions " + std::to_string(feature.lowest) +
                                 " to " + std::to_string(feature.highest) + ".");
    return {};
  }
  return invalid(update, "This cluster does not support this feature.");
}

/// The first thing that is wrong with the request.
Verdict judge_all(const Broker& broker, const Request& request) {
  const std::vector<Feature> features = features_of(broker);
  std::set<std::string_view> named;
  for (const Update& update : request.feature_updates) {
    if (!named.insert(update.feature).second)
      return {KafkaError::invalid_request, "A feature is named twice: " + update.feature + "."};
    Verdict verdict = judge(features, update);
    if (verdict.error != KafkaError::none) return verdict;
  }
  return {};
}

rt::Task<Verdict> raise_level(Broker& broker, std::int16_t level, MonoTime deadline) {
  if (broker.engine().status().feature_level.value == level) co_return Verdict();
  const engine::Outcome outcome = co_await broker.engine().raise_feature_level(
      FeatureLevel(static_cast<std::uint16_t>(level)), deadline);
  if (outcome.ok()) co_return Verdict();
  if (outcome.failure)
    co_return Verdict{to_kafka(ApiClass::admin, outcome.failure->code), outcome.failure->message};
  co_return Verdict{KafkaError::feature_update_failed,
                    outcome.refusal == state::Refusal::unsupported_level
                        ? "A broker of the cluster does not support that level yet."
                        : std::string(state::to_string(outcome.refusal)) + "."};
}

rt::Task<Response> handle(Broker& broker, const RequestContext& context, Request request) {
  const MonoTime deadline =
      deadline_of(context.api_key, context.arrived, std::max(request.timeout_ms, 0));
  const Result<void> barrier = co_await broker.engine().barrier(deadline);
  Verdict verdict =
      barrier ? judge_all(broker, request)
              : Verdict{to_kafka(ApiClass::admin, barrier.error().code), barrier.error().message};
  if (verdict.error == KafkaError::none && !request.validate_only)
    for (const Update& update : request.feature_updates)
      if (update.feature == kWeirFeature)
        verdict = co_await raise_level(broker, update.max_version_level, deadline);
  Response response;
  response.error_code = context.tell(verdict.error);
  response.error_message.reset();
  if (verdict.error != KafkaError::none)
    response.error_message =
        "The update failed for all features since the following feature had an error: " +
        verdict.message;
  for (const Update& update : request.feature_updates) {
    auto& out = response.results.emplace_back();
    out.feature = update.feature;
    out.error_code = response.error_code;
    out.error_message = response.error_message;
  }
  co_return response;
}

}  // namespace

rt::Task<Reply> update_features(Broker& broker, RequestContext& context, SharedBytes body) {
  return serve<Request, Response, handle>(broker, context, std::move(body));
}

}  // namespace weir::broker::handlers
