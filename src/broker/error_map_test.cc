#include "broker/error_map.h"

#include <gtest/gtest.h>

#include <array>
#include <set>

namespace weir::broker {
namespace {

using K = KafkaError;
using R = state::Refusal;
using E = ErrorCode;
using Row = std::array<K, kApiClasses>;

constexpr Row all(K code) { return {code, code, code, code, code}; }

template <class Key>
struct Case {
  Key key;
  Row want;
};

// The table once more, by hand: a change has to be made twice, on purpose.
const Case<R> kRefusals[] = {
    {R::none, all(K::none)},
    {R::malformed, all(K::invalid_request)},
    {R::unsupported_level,
     {K::kafka_storage_error, K::kafka_storage_error, K::leader_not_available, K::request_timed_out,
      K::coordinator_not_available}},
    {R::not_registered,
     {K::not_leader_or_follower, K::not_leader_or_follower, K::leader_not_available,
      K::request_timed_out, K::coordinator_not_available}},
    {R::stale_registration,
     {K::not_leader_or_follower, K::not_leader_or_follower, K::leader_not_available,
      K::request_timed_out, K::coordinator_not_available}},
    {R::unknown_topic, all(K::unknown_topic_or_partition)},
    {R::unknown_partition, all(K::unknown_topic_or_partition)},
    {R::topic_exists, all(K::topic_already_exists)},
    {R::topic_name_collision, all(K::invalid_topic_exception)},
    {R::invalid_partitions, all(K::invalid_partitions)},
    {R::guard_mismatch,
     {K::kafka_storage_error, K::kafka_storage_error, K::leader_not_available, K::request_timed_out,
      K::coordinator_not_available}},
    {R::duplicate, all(K::none)},
    {R::duplicate_forgotten, all(K::duplicate_sequence_number)},
    {R::out_of_order_sequence, all(K::out_of_order_sequence_number)},
    {R::unknown_producer, all(K::unknown_producer_id)},
    {R::invalid_producer_epoch, all(K::invalid_producer_epoch)},
    {R::born_before_horizon,
     {K::kafka_storage_error, K::kafka_storage_error, K::leader_not_available, K::request_timed_out,
      K::coordinator_not_available}},
    {R::offset_out_of_range, all(K::offset_out_of_range)},
    {R::not_found, all(K::resource_not_found)},
    {R::group_not_found, all(K::group_id_not_found)},
    {R::unknown_member, all(K::unknown_member_id)},
    {R::fenced_instance, all(K::fenced_instance_id)},
    {R::illegal_generation, all(K::illegal_generation)},
    {R::rebalance_in_progress, all(K::rebalance_in_progress)},
    {R::inconsistent_protocol, all(K::inconsistent_group_protocol)},
    {R::group_exists, all(K::inconsistent_group_protocol)},
    {R::group_full, all(K::group_max_size_reached)},
    {R::group_not_empty, all(K::non_empty_group)},
    {R::group_reads_topic, all(K::group_subscribed_to_topic)},
    {R::stale_member_epoch, all(K::stale_member_epoch)},
    {R::fenced_member_epoch, all(K::fenced_member_epoch)},
    {R::unreleased_instance, all(K::unreleased_instance_id)},
    {R::unsupported_assignor, all(K::unsupported_assignor)},
    {R::limit_reached,
     {K::kafka_storage_error, K::kafka_storage_error, K::leader_not_available, K::policy_violation,
      K::coordinator_not_available}},
};

const Case<E> kFailures[] = {
    {E::invalid_argument, all(K::invalid_request)},
    {E::corrupt,
     {K::corrupt_message, K::corrupt_message, K::leader_not_available, K::kafka_storage_error,
      K::coordinator_not_available}},
    {E::not_found, all(K::unknown_server_error)},
    {E::already_exists, all(K::unknown_server_error)},
    {E::precondition,
     {K::kafka_storage_error, K::kafka_storage_error, K::leader_not_available, K::request_timed_out,
      K::coordinator_not_available}},
    {E::unavailable,
     {K::kafka_storage_error, K::kafka_storage_error, K::leader_not_available, K::request_timed_out,
      K::coordinator_not_available}},
    {E::unknown_outcome,
     {K::request_timed_out, K::kafka_storage_error, K::leader_not_available, K::request_timed_out,
      K::coordinator_not_available}},
    {E::timed_out,
     {K::request_timed_out, K::kafka_storage_error, K::leader_not_available, K::request_timed_out,
      K::coordinator_not_available}},
    {E::out_of_space,
     {K::kafka_storage_error, K::kafka_storage_error, K::leader_not_available, K::request_timed_out,
      K::coordinator_not_available}},
    {E::configuration,
     {K::kafka_storage_error, K::kafka_storage_error, K::leader_not_available, K::request_timed_out,
      K::coordinator_not_available}},
    {E::too_large,
     {K::message_too_large, K::kafka_storage_error, K::leader_not_available, K::policy_violation,
      K::coordinator_not_available}},
    {E::unsupported, all(K::unsupported_version)},
    {E::cancelled,
     {K::not_leader_or_follower, K::not_leader_or_follower, K::leader_not_available,
      K::request_timed_out, K::coordinator_not_available}},
    {E::closed,
     {K::not_leader_or_follower, K::not_leader_or_follower, K::leader_not_available,
      K::request_timed_out, K::coordinator_not_available}},
    {E::internal, all(K::unknown_server_error)},
};

template <class Key>
void expect_row(const Case<Key>& c) {
  for (int api = 0; api < kApiClasses; ++api)
    EXPECT_EQ(to_kafka(static_cast<ApiClass>(api), c.key), c.want[static_cast<std::size_t>(api)])
        << "row " << static_cast<int>(c.key) << " class " << api;
}

TEST(ErrorMap, EveryRefusalHasItsRow) {
  std::set<R> seen;
  for (const Case<R>& c : kRefusals) {
    expect_row(c);
    seen.insert(c.key);
  }
  EXPECT_EQ(seen.size(), static_cast<std::size_t>(R::group_exists) + 1) << "a row is missing";
}

TEST(ErrorMap, EveryErrorCodeHasItsRow) {
  std::set<E> seen;
  for (const Case<E>& c : kFailures) {
    expect_row(c);
    seen.insert(c.key);
  }
  EXPECT_EQ(seen.size(), static_cast<std::size_t>(E::internal) + 1) << "a row is missing";
}

TEST(ErrorMap, AStoreFaultIsNeverFatalToAClient) {
  const std::set<K> retried = {K::kafka_storage_error, K::leader_not_available,
                               K::request_timed_out, K::coordinator_not_available,
                               K::not_leader_or_follower};
  for (E failure : {E::unavailable, E::timed_out, E::unknown_outcome, E::out_of_space,
                    E::configuration, E::cancelled})
    for (int api = 0; api < kApiClasses; ++api)
      EXPECT_TRUE(retried.contains(to_kafka(static_cast<ApiClass>(api), failure)));
}

}  // namespace
}  // namespace weir::broker
