#include "broker/error_map.h"

#include <array>

namespace weir::broker {
namespace {

using K = KafkaError;
using R = state::Refusal;
using E = ErrorCode;
using Row = std::array<K, kApiClasses>;

constexpr Row all(K code) { return {code, code, code, code, code}; }
constexpr Row kBug = all(K::unknown_server_error);

/// What means "this broker, just now, could not": each class in the words its clients retry on.
constexpr Row kTryAgain = {K::kafka_storage_error, K::kafka_storage_error, K::leader_not_available,
                           K::request_timed_out, K::coordinator_not_available};
/// "Ask another broker": what clients answer with a metadata refresh.
constexpr Row kMoveOn = {K::not_leader_or_follower, K::not_leader_or_follower,
                         K::leader_not_available, K::request_timed_out,
                         K::coordinator_not_available};

Row row(R refusal) {
  switch (refusal) {
    case R::none:
    case R::duplicate: return all(K::none);
    case R::malformed: return all(K::invalid_request);
    case R::unsupported_level:
    case R::guard_mismatch:
    case R::born_before_horizon: return kTryAgain;
    case R::not_registered:
    case R::stale_registration: return kMoveOn;
    case R::unknown_topic:
    case R::unknown_partition: return all(K::unknown_topic_or_partition);
    case R::topic_exists: return all(K::topic_already_exists);
    case R::topic_name_collision: return all(K::invalid_topic_exception);
    case R::invalid_partitions: return all(K::invalid_partitions);
    case R::duplicate_forgotten:
      // Producers take it as a success whose offset is unknown.
      return all(K::duplicate_sequence_number);
    case R::out_of_order_sequence: return all(K::out_of_order_sequence_number);
    case R::unknown_producer: return all(K::unknown_producer_id);
    case R::invalid_producer_epoch: return all(K::invalid_producer_epoch);
    case R::offset_out_of_range: return all(K::offset_out_of_range);
    case R::not_found: return all(K::resource_not_found);
    case R::group_not_found: return all(K::group_id_not_found);
    case R::unknown_member: return all(K::unknown_member_id);
    case R::fenced_instance: return all(K::fenced_instance_id);
    case R::illegal_generation: return all(K::illegal_generation);
    case R::rebalance_in_progress: return all(K::rebalance_in_progress);
    case R::inconsistent_protocol:
    case R::group_exists: return all(K::inconsistent_group_protocol);
    case R::group_full: return all(K::group_max_size_reached);
    case R::group_not_empty: return all(K::non_empty_group);
    case R::group_reads_topic: return all(K::group_subscribed_to_topic);
    case R::stale_member_epoch: return all(K::stale_member_epoch);
    case R::fenced_member_epoch: return all(K::fenced_member_epoch);
    case R::unreleased_instance: return all(K::unreleased_instance_id);
    case R::unsupported_assignor: return all(K::unsupported_assignor);
    case R::limit_reached:
      return {K::kafka_storage_error, K::kafka_storage_error, K::leader_not_available,
              K::policy_violation, K::coordinator_not_available};
  }
  return kBug;
}

Row row(E failure) {
  switch (failure) {
    case E::invalid_argument: return all(K::invalid_request);
    case E::corrupt:
      return {K::corrupt_message, K::corrupt_message, K::leader_not_available,
              K::kafka_storage_error, K::coordinator_not_available};
    case E::timed_out:
    case E::unknown_outcome:
      return {K::request_timed_out, K::kafka_storage_error, K::leader_not_available,
              K::request_timed_out, K::coordinator_not_available};
    case E::unavailable:
    case E::out_of_space:
    case E::configuration:
    case E::precondition: return kTryAgain;
    case E::cancelled:
    case E::closed: return kMoveOn;
    case E::too_large:
      return {K::message_too_large, K::kafka_storage_error, K::leader_not_available,
              K::policy_violation, K::coordinator_not_available};
    case E::unsupported: return all(K::unsupported_version);
    case E::not_found:
    case E::already_exists:
    case E::internal: return kBug;
  }
  return kBug;
}

}  // namespace

KafkaError to_kafka(ApiClass api, state::Refusal refusal) {
  return row(refusal)[static_cast<std::size_t>(api)];
}

KafkaError to_kafka(ApiClass api, ErrorCode failure) {
  return row(failure)[static_cast<std::size_t>(api)];
}

}  // namespace weir::broker
