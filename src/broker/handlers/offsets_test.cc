// ListOffsets, OffsetForLeaderEpoch, InitProducerId.
#include <gtest/gtest.h>

#include "broker/handlers/handlers.h"
#include "broker/kafka_error.h"
#include "broker/testing/batches.h"
#include "broker/testing/rig.h"
#include "wire/init_producer_id.h"
#include "wire/list_offsets.h"
#include "wire/offset_for_leader_epoch.h"
#include "wire/produce.h"

namespace weir::broker::handlers {
namespace {

using testing::RawClient;
using testing::Rig;
using Row = wire::ListOffsetsResponse::ListOffsetsPartitionResponse;

class Offsets : public ::testing::Test {
 protected:
  Offsets() {
    for (std::int64_t timestamp : {1000, 3000, 2000}) {
      wire::ProduceRequest request{.acks = -1, .timeout_ms = 10'000};
      request.topic_data.push_back({.name = "t"});
      request.topic_data[0].partition_data.push_back(
          {0, BytesChain(testing::make_batch({.timestamp = timestamp}))});
      client.call<wire::ProduceResponse>(request, 9);
    }
    rig.engine.state.log({topic, PartitionIndex(0)})->start = Offset(1);
    rig.engine.state.log({topic, PartitionIndex(0)})->last_stable = Offset(2);
  }
  Row list(std::int64_t timestamp, std::int16_t version = 11, std::int8_t isolation = 0,
           std::int32_t partition = 0, std::int32_t epoch = -1) {
    wire::ListOffsetsRequest request{
        .replica_id = -1, .isolation_level = isolation, .timeout_ms = version >= 10 ? 5000 : 0};
    request.topics.push_back({.name = "t",
                              .partitions = {{.partition_index = partition,
                                              .current_leader_epoch = epoch,
                                              .timestamp = timestamp}}});
    return client.call<wire::ListOffsetsResponse>(request, version).topics.at(0).partitions.at(0);
  }

  Rig rig{handler_table()};
  TopicId topic = rig.engine.state.add_topic("t", 1);
  RawClient client = rig.connect();
};

TEST_F(Offsets, LatestAndEarliestInEveryVersion) {
  for (std::int16_t v = 1; v <= 11; ++v) {
    EXPECT_EQ(list(-1, v).offset, 3) << v;
    EXPECT_EQ(list(-2, v).offset, 1) << v;
    EXPECT_EQ(list(-1, v).timestamp, -1);
    if (v >= 2) {
      EXPECT_EQ(list(-1, v, 1).offset, 2) << "read_committed ends at the last stable offset";
    }
    if (v >= 4) {
      EXPECT_EQ(list(-1, v).leader_epoch, rig.engine.state.placement_epoch().value);
    }
  }
}

TEST_F(Offsets, TimestampsFindTheFirstRecordAtOrAfter) {
  EXPECT_EQ(list(1001).offset, 1);
  EXPECT_EQ(list(1001).timestamp, 3000);
  Row none = list(9999);
  EXPECT_EQ(none.offset, -1);
  EXPECT_EQ(none.timestamp, -1);
  EXPECT_EQ(none.error_code, 0);
}

TEST_F(Offsets, SpecialValuesAnswerAsAKafkaWithoutRemoteStorage) {
  EXPECT_EQ(list(-3).offset, 1);
  EXPECT_EQ(list(-3).timestamp, 3000);
  EXPECT_EQ(list(-4).offset, 1);
  EXPECT_EQ(list(-5).offset, -1);
  EXPECT_EQ(list(-6).offset, -1);
  EXPECT_EQ(list(-5).error_code, 0);
}

TEST_F(Offsets, SpecialValuesBelowTheirVersionAreUnsupported) {
  EXPECT_EQ(list(-3, 6).error_code, code(KafkaError::unsupported_version));
  EXPECT_EQ(list(-4, 7).error_code, code(KafkaError::unsupported_version));
  EXPECT_EQ(list(-5, 8).error_code, code(KafkaError::unsupported_version));
  EXPECT_EQ(list(-6, 10).error_code, code(KafkaError::unsupported_version));
  EXPECT_EQ(list(-77).error_code, code(KafkaError::unsupported_version));
}

TEST_F(Offsets, UnknownPartitionsAndNewerEpochsAreErrorsAfterABarrier) {
  const int before = rig.engine.barriers;
  EXPECT_EQ(list(-1, 11, 0, 5).error_code, code(KafkaError::unknown_topic_or_partition));
  EXPECT_EQ(list(-1, 11, 0, 0, 99).error_code, code(KafkaError::unknown_leader_epoch));
  EXPECT_EQ(rig.engine.barriers, before + 2);
}

TEST_F(Offsets, APartitionNamedTwiceIsInvalid) {
  wire::ListOffsetsRequest request{.replica_id = -1};
  request.topics.push_back({.name = "t", .partitions = {{.timestamp = -1}, {.timestamp = -2}}});
  auto response = client.call<wire::ListOffsetsResponse>(request, 5);
  EXPECT_EQ(response.topics[0].partitions[1].error_code, code(KafkaError::invalid_request));
}

TEST_F(Offsets, AFailedBarrierIsRetriable) {
  rig.engine.failure = ErrorCode::timed_out;
  EXPECT_EQ(list(-1).error_code, code(KafkaError::kafka_storage_error));
}

TEST_F(Offsets, OffsetForLeaderEpochHasNoEndUpToTheCurrentEpoch) {
  constexpr std::int64_t kNoEnd = std::numeric_limits<std::int64_t>::max();
  const auto ask = [&](std::int32_t epoch, std::int32_t partition = 0) {
    wire::OffsetForLeaderEpochRequest request;
    request.topics.push_back(
        {.topic = "t", .partitions = {{.partition = partition, .leader_epoch = epoch}}});
    return client.call<wire::OffsetForLeaderEpochResponse>(request, 4)
        .topics.at(0)
        .partitions.at(0);
  };
  const std::int32_t now = rig.engine.state.placement_epoch().value;
  EXPECT_EQ(ask(now).end_offset, kNoEnd);
  EXPECT_EQ(ask(now).leader_epoch, now);
  EXPECT_EQ(ask(0).end_offset, kNoEnd);
  EXPECT_EQ(ask(0).leader_epoch, 0);
  EXPECT_EQ(ask(now + 1).end_offset, -1);
  EXPECT_EQ(ask(now + 1).leader_epoch, -1);
  EXPECT_EQ(ask(now, 8).error_code, code(KafkaError::unknown_topic_or_partition));
}

TEST_F(Offsets, InitProducerIdGivesFreshIdsInEveryVersion) {
  std::set<std::int64_t> ids;
  for (std::int16_t v = 0; v <= 5; ++v) {
    auto response = client.call<wire::InitProducerIdResponse>(
        wire::InitProducerIdRequest{.transactional_id = std::nullopt}, v);
    EXPECT_EQ(response.error_code, 0);
    EXPECT_EQ(response.producer_epoch, 0);
    EXPECT_TRUE(ids.insert(response.producer_id).second);
  }
  rig.engine.failure = ErrorCode::unavailable;
  auto failed = client.call<wire::InitProducerIdResponse>(
      wire::InitProducerIdRequest{.transactional_id = std::nullopt}, 4);
  EXPECT_EQ(failed.error_code, code(KafkaError::coordinator_not_available));
  EXPECT_EQ(failed.producer_id, -1);
}

}  // namespace
}  // namespace weir::broker::handlers
