#include <gtest/gtest.h>

#include "broker/handlers/handlers.h"
#include "broker/kafka_error.h"
#include "broker/testing/batches.h"
#include "broker/testing/rig.h"
#include "wire/fetch.h"
#include "wire/produce.h"

namespace weir::broker::handlers {
namespace {

using testing::make_batch;
using testing::RawClient;
using testing::Rig;
using Request = wire::FetchRequest;
using Response = wire::FetchResponse;
using Row = Response::PartitionData;

class Fetch : public ::testing::Test {
 protected:
  Rig rig{handler_table()};
  TopicId topic = rig.engine.state.add_topic("t", 3);
  RawClient client = rig.connect();
  RawClient producer = rig.connect("producer");

  void append(int partition, int batches = 1, std::size_t value_bytes = 100) {
    for (int i = 0; i < batches; ++i) {
      wire::ProduceRequest request{.acks = -1, .timeout_ms = 10'000};
      request.topic_data.push_back({.name = "t"});
      request.topic_data[0].partition_data.push_back(
          {partition, BytesChain(make_batch({.value_bytes = value_bytes}))});
      producer.call<wire::ProduceResponse>(request, 9);
    }
  }
  Request ask(std::vector<std::pair<int, std::int64_t>> partitions, std::int32_t max_wait = 0) {
    Request out{.max_wait_ms = max_wait, .min_bytes = 1, .max_bytes = 1 << 20};
    out.topics.push_back({.topic = "t"});
    for (auto [index, offset] : partitions)
      out.topics[0].partitions.push_back(
          {.partition = index, .fetch_offset = offset, .partition_max_bytes = 1 << 20});
    return out;
  }
  Request by_id(Request request) {
    request.topics[0].topic.clear();
    request.topics[0].topic_id = topic;
    return request;
  }
  static std::vector<Row> rows(const Response& response) {
    std::vector<Row> out;
    for (const auto& topic : response.responses)
      for (const Row& row : topic.partitions) out.push_back(row);
    return out;
  }
  static std::size_t bytes(const Row& row) { return row.records ? row.records->size() : 0; }
};

TEST_F(Fetch, ReturnsRecordsWithFinalOffsetsInEveryVersion) {
  append(0, 3);
  for (std::int16_t v = Request::kVersionMin; v <= Request::kVersionMax; ++v) {
    Request request = ask({{0, 1}});
    if (v >= 13) request = by_id(request);
    Response response = client.call<Response>(request, v);
    ASSERT_EQ(rows(response).size(), 1u) << v;
    const Row row = rows(response)[0];
    EXPECT_EQ(row.error_code, 0) << v;
    EXPECT_EQ(row.high_watermark, 3) << v;
    EXPECT_EQ(row.last_stable_offset, 3) << v;
    EXPECT_EQ(row.log_start_offset, v >= 5 ? 0 : -1) << v;
    ASSERT_GT(bytes(row), 61u);
    EXPECT_EQ(row.records->flatten().view()[7], std::byte{1}) << "base offset of the first batch";
    EXPECT_TRUE(response.node_endpoints.empty());
  }
}

TEST_F(Fetch, MaxWaitZeroAnswersAtOnceWithAllPartitions) {
  const MonoTime start = rig.world.now();
  Response response = client.call<Response>(ask({{0, 0}, {1, 0}, {2, 0}}), 11);
  EXPECT_EQ(rows(response).size(), 3u);
  EXPECT_LT(rig.world.now() - start, 100ms);
}

TEST_F(Fetch, NewDataWakesAParkedFetchAtOnce) {
  client.send(ask({{0, 0}}, 30'000), 11);
  rig.world.run_for(1s);
  EXPECT_EQ(rig.engine.parked, 1u);
  const MonoTime start = rig.world.now();
  append(0);
  EXPECT_GT(bytes(rows(client.receive<Response>(11))[0]), 0u);
  EXPECT_LT(rig.world.now() - start, 100ms);
}

TEST_F(Fetch, WaitsForMinBytesOrMaxWait) {
  append(0);
  Request request = ask({{0, 0}}, 2000);
  request.min_bytes = 100'000;
  const MonoTime start = rig.world.now();
  EXPECT_GT(bytes(rows(client.call<Response>(request, 11))[0]), 0u);
  EXPECT_GE(rig.world.now() - start, 2s);
  EXPECT_LT(rig.world.now() - start, 3s);
}

TEST_F(Fetch, AParkedFetchEndsWhenItsConnectionDoes) {
  client.send(ask({{0, 0}}, 300'000), 11);
  rig.world.run_for(1s);
  EXPECT_EQ(rig.engine.parked, 1u);
  client.close();
  rig.world.run_for(1s);
  EXPECT_EQ(rig.engine.parked, 0u);
}

TEST_F(Fetch, ADrainAnswersParkedFetches) {
  client.send(ask({{0, 0}}, 300'000), 11);
  rig.world.run_for(1s);
  const MonoTime start = rig.world.now();
  rig.drain(60s);
  EXPECT_LT(rig.world.now() - start, 1s);
  EXPECT_TRUE(client.next_frame(1s)) << "an empty answer, then the end";
}

TEST_F(Fetch, OffsetsOutOfRangeAndUnknownPartitionsAreErrorsOfTheirPartition) {
  append(0);
  Response response = client.call<Response>(ask({{0, 0}, {1, 5}, {9, 0}}, 10'000), 11);
  const auto all = rows(response);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].error_code, 0);
  EXPECT_EQ(all[1].error_code, code(KafkaError::offset_out_of_range));
  EXPECT_EQ(all[1].high_watermark, -1);
  EXPECT_EQ(all[2].error_code, code(KafkaError::unknown_topic_or_partition));
  EXPECT_GE(rig.engine.barriers, 1);
}

TEST_F(Fetch, UnknownIdsAreUnknownTopicIds) {
  Request request = by_id(ask({{0, 0}}));
  request.topics[0].topic_id.bytes[5] = 77;
  EXPECT_EQ(rows(client.call<Response>(request, 13))[0].error_code,
            code(KafkaError::unknown_topic_id));
  request.topics[0].topic_id = {};
  EXPECT_EQ(rows(client.call<Response>(request, 13))[0].error_code,
            code(KafkaError::unknown_topic_id));
}

TEST_F(Fetch, ARecreatedTopicNeverShowsOldDataUnderItsOldId) {
  append(0);
  rig.engine.state.remove_topic(topic);
  const TopicId again = rig.engine.state.add_topic("t", 1);
  EXPECT_NE(again, topic);
  EXPECT_EQ(rows(client.call<Response>(by_id(ask({{0, 0}})), 13))[0].error_code,
            code(KafkaError::unknown_topic_id));
  Row row = rows(client.call<Response>(ask({{0, 0}}), 11))[0];
  EXPECT_EQ(row.high_watermark, 0);
  EXPECT_EQ(bytes(row), 0u);
}

TEST_F(Fetch, LeaderEpochs) {
  append(0);
  const std::int32_t now = rig.engine.state.placement_epoch().value;
  const auto with = [&](std::int32_t epoch) {
    Request request = ask({{0, 0}});
    request.topics[0].partitions[0].current_leader_epoch = epoch;
    return rows(client.call<Response>(request, 12))[0].error_code;
  };
  EXPECT_EQ(with(-1), 0);
  EXPECT_EQ(with(now), 0);
  EXPECT_EQ(with(now - 1), 0) << "still the leader for this client";
  EXPECT_EQ(with(now + 1), code(KafkaError::unknown_leader_epoch));
}

TEST_F(Fetch, AnOlderEpochWhereAnotherBrokerLeadsIsFencedWithTheNewLeader) {
  const std::int32_t before = rig.engine.state.placement_epoch().value;
  rig.engine.state.add_broker(2, "far");
  Request request = by_id(ask({{0, 0}}));
  request.rack_id = "far";
  request.topics[0].partitions[0].current_leader_epoch = before;
  Response response = client.call<Response>(request, 16);
  const Row row = rows(response)[0];
  EXPECT_EQ(row.error_code, code(KafkaError::fenced_leader_epoch));
  EXPECT_EQ(row.current_leader.leader_id, 2);
  EXPECT_EQ(row.current_leader.leader_epoch, before + 1);
  ASSERT_EQ(response.node_endpoints.size(), 1u);
  EXPECT_EQ(response.node_endpoints[0].host, "broker2");
  // Without an epoch a stale client is served.
  request.topics[0].partitions[0].current_leader_epoch = -1;
  EXPECT_EQ(rows(client.call<Response>(request, 16))[0].error_code, 0);
}

TEST_F(Fetch, SessionsAnswerOnlyWhatChanged) {
  append(0);
  Request request = ask({{0, 0}, {1, 0}, {2, 0}});
  request.session_epoch = 0;
  Response response = client.call<Response>(request, 11);
  EXPECT_EQ(rows(response).size(), 3u);
  const std::int32_t id = response.session_id;
  ASSERT_NE(id, 0);
  // The consumer moves on; nothing new.
  Request next = ask({{0, 1}});
  next.session_id = id;
  next.session_epoch = 1;
  response = client.call<Response>(next, 11);
  EXPECT_EQ(response.session_id, id);
  EXPECT_TRUE(rows(response).empty());
  // New data elsewhere wakes it, and is all that is answered.
  Request empty{.max_wait_ms = 10'000, .min_bytes = 1, .max_bytes = 1 << 20};
  empty.session_id = id;
  empty.session_epoch = 2;
  client.send(empty, 11);
  rig.world.run_for(100ms);
  append(2);
  response = client.receive<Response>(11);
  ASSERT_EQ(rows(response).size(), 1u);
  EXPECT_EQ(rows(response)[0].partition_index, 2);
  // Forgetting ends it for that partition.
  Request forget = empty;
  forget.max_wait_ms = 0;
  forget.session_epoch = 3;
  forget.forgotten_topics_data.push_back({.topic = "t", .partitions = {2}});
  EXPECT_TRUE(rows(client.call<Response>(forget, 11)).empty());
}

TEST_F(Fetch, SessionErrorsAreTopLevel) {
  Request request;
  request.session_id = 12345;
  request.session_epoch = 1;
  Response response = client.call<Response>(request, 11);
  EXPECT_EQ(response.error_code, code(KafkaError::fetch_session_id_not_found));
  EXPECT_TRUE(response.responses.empty());
  Request create = ask({{0, 0}});
  create.session_epoch = 0;
  request.session_id = client.call<Response>(create, 11).session_id;
  request.session_epoch = 5;
  EXPECT_EQ(client.call<Response>(request, 11).error_code,
            code(KafkaError::invalid_fetch_session_epoch));
}

TEST_F(Fetch, PartitionOrderRotatesSoThatNoneStarves) {
  for (int p = 0; p < 3; ++p) append(p, 1, 5000);
  Request request = ask({{0, 0}, {1, 0}, {2, 0}});
  request.session_epoch = 0;
  request.max_bytes = 100;
  Response response = client.call<Response>(request, 11);
  std::set<int> served;
  for (int i = 1; i <= 3; ++i) {
    for (const Row& row : rows(response))
      if (bytes(row) > 0) served.insert(row.partition_index);
    Request next;
    next.min_bytes = 1;
    next.max_bytes = 100;
    next.session_id = response.session_id;
    next.session_epoch = i;
    response = client.call<Response>(next, 11);
  }
  EXPECT_EQ(served.size(), 3u);
}

TEST_F(Fetch, ReadCommittedListsAbortedTransactionsAndOthersSendNull) {
  append(0);
  Request request = ask({{0, 0}});
  EXPECT_FALSE(rows(client.call<Response>(request, 11))[0].aborted_transactions.has_value());
  request.isolation_level = 1;
  EXPECT_TRUE(rows(client.call<Response>(request, 11))[0].aborted_transactions.has_value());
}

TEST_F(Fetch, AStoreFailureIsRetriable) {
  rig.engine.failure = ErrorCode::unavailable;
  EXPECT_EQ(rows(client.call<Response>(ask({{0, 0}}), 11))[0].error_code,
            code(KafkaError::kafka_storage_error));
}

TEST_F(Fetch, AnswersHoldTheOutPoolUntilTheyAreWritten) {
  append(0, 1, 10'000);
  client.call<Response>(ask({{0, 0}}), 11);
  rig.world.run_for(1s);
  EXPECT_EQ(rig.memory.out.pool().used(), 0u);
  // With the pool taken by others, the answer comes without records instead of never.
  ASSERT_TRUE(rig.memory.out.pool().try_reserve(rig.memory.out.pool().bytes_max()));
  Row row = rows(client.call<Response>(ask({{0, 0}}), 11))[0];
  EXPECT_EQ(row.error_code, 0);
  EXPECT_EQ(bytes(row), 0u);
  rig.memory.out.pool().release(rig.memory.out.pool().bytes_max());
}

TEST_F(Fetch, ManyParkedFetchesOfOneConnectionAnswerInOrder) {
  for (int i = 0; i < 3; ++i) client.send(ask({{i, 0}}, 1000), 11);
  append(2);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(rows(client.receive<Response>(11))[0].partition_index, i);
}

}  // namespace
}  // namespace weir::broker::handlers
