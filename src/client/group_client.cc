#include "client/group_client.h"

namespace weir::client {

bool GroupClient::is_passing(std::int16_t code) {
  return is(code, KafkaCode::coordinator_load_in_progress) ||
         is(code, KafkaCode::coordinator_not_available) || is(code, KafkaCode::not_coordinator);
}

rt::Task<Result<NodeId>> GroupClient::find_coordinator(MonoTime deadline, bool& passing) {
  constexpr std::int8_t kGroupKey = 0;
  // Later versions ask for many keys at once.
  constexpr std::int16_t kOneKeyVersionMax = 3;
  wire::FindCoordinatorRequest request;
  request.key = group_;
  request.key_type = kGroupKey;
  Result<wire::FindCoordinatorResponse> answer = co_await cluster_.call(
      std::nullopt, std::move(request), {.deadline = deadline, .version_max = kOneKeyVersionMax});
  passing = answer ? traits_of(answer->error_code).retriable : is_retriable(answer.error());
  if (!answer) co_return std::unexpected(answer.error());
  if (answer->error_code != 0)
    co_return std::unexpected(to_error(answer->error_code, answer->error_message));
  const NodeId node(answer->node_id);
  // Connecting to a node needs its address, which Metadata tells.
  for (const BrokerMetadata& broker : cluster_.brokers())
    if (broker.id == node) co_return node;
  Result<void> refreshed = co_await cluster_.refresh_brokers(deadline);
  passing = !refreshed && is_retriable(refreshed.error());
  if (!refreshed) co_return std::unexpected(refreshed.error());
  co_return node;
}

rt::Task<Result<NodeId>> GroupClient::coordinator(MonoTime deadline) {
  for (int attempt = 0; !coordinator_; ++attempt) {
    bool passing = false;
    const MonoTime limit = std::min(deadline, cluster_.loop().now() + kRequestTimeout);
    Result<NodeId> found = co_await find_coordinator(limit, passing);
    if (found) coordinator_ = *found;
    if (found || !passing || !co_await cluster_.pause(attempt, deadline)) co_return found;
  }
  co_return *coordinator_;
}

}  // namespace weir::client
