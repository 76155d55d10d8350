#include <gtest/gtest.h>

#include "broker/handlers/handlers.h"
#include "broker/kafka_error.h"
#include "broker/limits.h"
#include "broker/memory_budget.h"
#include "broker/testing/batches.h"
#include "broker/testing/rig.h"
#include "codec/crc32c.h"
#include "record/batch_view.h"
#include "record/format.h"
#include "wire/create_topics.h"
#include "wire/metadata.h"
#include "wire/produce.h"

namespace weir::broker::handlers {
namespace {

using testing::make_batch;
using testing::RawClient;
using testing::Rig;
using Request = wire::ProduceRequest;
using Response = wire::ProduceResponse;
using Row = Response::PartitionProduceResponse;

Request request_of(const std::string& topic, std::vector<std::pair<int, SharedBytes>> batches) {
  Request out{.acks = -1, .timeout_ms = 10'000};
  out.topic_data.push_back({.name = topic});
  for (auto& [index, batch] : batches)
    out.topic_data[0].partition_data.push_back({index, BytesChain(std::move(batch))});
  return out;
}

Row produce_one(RawClient& client, const Request& request, std::int16_t version = 9) {
  Response response = client.call<Response>(request, version);
  if (response.responses.size() != 1 || response.responses[0].partition_responses.size() != 1) {
    ADD_FAILURE() << "one row expected";
    return {};
  }
  return response.responses[0].partition_responses[0];
}

class Produce : public ::testing::Test {
 protected:
  Rig rig{handler_table()};
  TopicId topic = rig.engine.state.add_topic("t", 3);
  RawClient client = rig.connect();
  Row send(const SharedBytes& batch, std::int16_t version = 9) {
    return produce_one(client, request_of("t", {{0, batch}}), version);
  }
};

TEST_F(Produce, AnswersOffsetsInEveryVersion) {
  std::int64_t want = 0;
  for (std::int16_t v = Request::kVersionMin; v <= Request::kVersionMax; ++v) {
    Request request = request_of("t", {{0, make_batch({.records = 3})}});
    if (v >= 13)
      request.topic_data[0] = {.topic_id = topic,
                               .partition_data = request.topic_data[0].partition_data};
    Row row = produce_one(client, request, v);
    EXPECT_EQ(row.error_code, 0) << v;
    EXPECT_EQ(row.base_offset, want) << v;
    EXPECT_EQ(row.log_append_time_ms, -1) << v;
    EXPECT_EQ(row.log_start_offset, v >= 5 ? 0 : -1) << v;
    want += 3;
  }
}

TEST_F(Produce, OneRequestWithManyPartitionsIsOneCommitAndOneBadOneFailsAlone) {
  SharedBytes broken = SharedBytes::copy_of(make_batch().view());
  broken.mutable_view()[70] ^= std::byte{1};
  Response response = client.call<Response>(
      request_of("t", {{0, make_batch()}, {1, broken}, {2, make_batch()}, {9, make_batch()}}), 9);
  const auto& rows = response.responses[0].partition_responses;
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[0].error_code, 0);
  EXPECT_EQ(rows[1].error_code, code(KafkaError::corrupt_message));
  EXPECT_EQ(rows[1].base_offset, -1);
  EXPECT_EQ(rows[2].error_code, 0);
  EXPECT_EQ(rows[3].error_code, code(KafkaError::unknown_topic_or_partition));
  EXPECT_EQ(rig.engine.produce_calls, 1);
}

TEST_F(Produce, AcksOneAndAllAreAlikeAndOthersAreInvalid) {
  Request request = request_of("t", {{0, make_batch()}});
  request.acks = 1;
  EXPECT_EQ(produce_one(client, request).error_code, 0);
  request.acks = 2;
  EXPECT_EQ(produce_one(client, request).error_code, code(KafkaError::invalid_required_acks));
}

TEST_F(Produce, AcksZeroHasNoAnswerAndAnErrorCloses) {
  Request request = request_of("t", {{0, make_batch()}});
  request.acks = 0;
  client.send(request, 9);
  EXPECT_EQ(produce_one(client, request_of("t", {{0, make_batch()}})).base_offset, 1);
  request = request_of("nowhere", {{0, make_batch()}});
  request.acks = 0;
  client.send(request, 9);
  EXPECT_TRUE(client.closes());
  EXPECT_EQ(rig.log.count("produce error with acks=0"), 1u);
}

TEST_F(Produce, BatchesThatAreNoneAreRefusedByReason) {
  Request none = request_of("t", {});
  none.topic_data[0].partition_data.push_back({0, std::nullopt});
  EXPECT_EQ(produce_one(client, none).error_code, code(KafkaError::invalid_record));
  BytesChain two(make_batch());
  two.append(make_batch());
  Request both = request_of("t", {});
  both.topic_data[0].partition_data.push_back({0, BytesChain(two.flatten())});
  EXPECT_EQ(produce_one(client, both).error_code, code(KafkaError::invalid_record));
  SharedBytes old = SharedBytes::copy_of(make_batch().view());
  old.mutable_view()[16] = std::byte{1};
  EXPECT_EQ(send(old).error_code, code(KafkaError::invalid_record));
  SharedBytes transactional = make_batch({.transactional = true});
  EXPECT_EQ(send(transactional).error_code, code(KafkaError::invalid_txn_state));
}

TEST_F(Produce, ZstdBelowVersionSevenIsUnsupported) {
  const SharedBytes batch = make_batch({.codec = codec::Codec::zstd});
  EXPECT_EQ(send(batch, 6).error_code, code(KafkaError::unsupported_compression_type));
  EXPECT_EQ(send(batch, 7).error_code, 0);
}

TEST_F(Produce, LimitsOfTheTopicCountForTheBatch) {
  rig.engine.state.add_topic("small", 1, {{"max.message.bytes", "200"}});
  Request request = request_of("small", {{0, make_batch({.value_bytes = 300})}});
  Row row = produce_one(client, request);
  EXPECT_EQ(row.error_code, code(KafkaError::message_too_large));
  ASSERT_TRUE(row.error_message.has_value());
  EXPECT_NE(row.error_message->find("max.message.bytes=200; raise that"), std::string::npos);
  request = request_of("small", {{0, make_batch({.value_bytes = 50})}});
  EXPECT_EQ(produce_one(client, request).error_code, 0);
}

TEST_F(Produce, ABrokerWideLimitChangesAtOnce) {
  const SharedBytes batch = make_batch({.value_bytes = 300});
  EXPECT_EQ(send(batch).error_code, 0);
  rig.engine.state.change_broker_config(NodeId(-1), "message.max.bytes", "100");
  EXPECT_EQ(send(batch).error_code, code(KafkaError::message_too_large));
}

TEST_F(Produce, TimestampsOutOfTheWindowAreInvalid) {
  rig.engine.state.add_topic("strict", 1, {{"message.timestamp.before.max.ms", "1000"}});
  const std::int64_t now = rig.node.wall_now().value;
  const auto with = [&](std::int64_t timestamp) {
    return produce_one(client, request_of("strict", {{0, make_batch({.timestamp = timestamp})}}))
        .error_code;
  };
  EXPECT_EQ(with(now), 0);
  EXPECT_EQ(with(now - 60'000), code(KafkaError::invalid_timestamp));
  EXPECT_EQ(with(now + 7'200'000), code(KafkaError::invalid_timestamp));
}

TEST_F(Produce, KeylessRecordsOnACompactedTopicAreInvalidWithRecordErrors) {
  rig.engine.state.add_topic("kv", 1, {{"cleanup.policy", "compact"}});
  Request request = request_of("kv", {{0, make_batch({.records = 2, .keys = false})}});
  Row row = produce_one(client, request);
  EXPECT_EQ(row.error_code, code(KafkaError::invalid_record));
  ASSERT_EQ(row.record_errors.size(), 2u);
  EXPECT_EQ(row.record_errors[1].batch_index, 1);
  EXPECT_EQ(produce_one(client, request_of("kv", {{0, make_batch()}})).error_code, 0);
}

TEST_F(Produce, LogAppendTimeIsStampedAndTold) {
  const TopicId id =
      rig.engine.state.add_topic("stamped", 1, {{"message.timestamp.type", "LogAppendTime"}});
  Row row = produce_one(client, request_of("stamped", {{0, make_batch({.timestamp = 5})}}));
  EXPECT_EQ(row.error_code, 0);
  EXPECT_GT(row.log_append_time_ms, 1'000'000);
  EXPECT_EQ(rig.engine.state.log({id, PartitionIndex(0)})->max_timestamp_ms,
            row.log_append_time_ms);
}

TEST_F(Produce, CompressionOfTheTopicIsApplied) {
  const TopicId id = rig.engine.state.add_topic("zipped", 1, {{"compression.type", "zstd"}});
  EXPECT_EQ(produce_one(client, request_of("zipped", {{0, make_batch({.value_bytes = 20'000})}}))
                .error_code,
            0);
  EXPECT_LT(rig.engine.state.log({id, PartitionIndex(0)})->bytes, 1000u);
}

TEST_F(Produce, RecordsThatAreRewrittenMustParse) {
  SharedBytes odd = SharedBytes::copy_of(make_batch({.records = 1}).view());
  // Its only record claims an offset beyond the batch.
  odd.mutable_view()[record::batch_header_bytes + 3] = std::byte{100};
  store_be<std::uint32_t>(odd.mutable_view(), record::at::crc,
                          codec::crc32c(odd.view().subspan(record::at::attributes)));
  rig.engine.state.add_topic("zipped", 1, {{"compression.type", "zstd"}});
  EXPECT_EQ(produce_one(client, request_of("zipped", {{0, odd}})).error_code,
            code(KafkaError::invalid_record));
  EXPECT_EQ(send(odd).error_code, 0) << "nobody looks";
}

TEST(ProduceMemory, RecordsAreDecodedWithinTheBudgetHoweverFarTheyUnfold) {
  Rig rig(handler_table(), {.memory = std::size_t{32} << 20});
  RawClient client = rig.connect();
  rig.engine.state.add_topic("kv", 1, {{"cleanup.policy", "compact"}});
  const std::size_t most = rig.memory.decode.pool().bytes_max();
  auto send = [&](std::size_t bytes) {
    SharedBytes batch = make_batch({.value_bytes = bytes, .codec = codec::Codec::zstd});
    EXPECT_LT(batch.size() * kDecodedRatio, bytes) << "unfolds further than what is usual";
    return produce_one(client, request_of("kv", {{0, batch}}));
  };
  EXPECT_EQ(send(most / 2).error_code, 0);
  Row row = send(most * 2);
  EXPECT_EQ(row.error_code, code(KafkaError::message_too_large));
  EXPECT_NE(row.error_message.value_or("").find("--memory"), std::string::npos);
  EXPECT_EQ(rig.memory.decode.pool().used(), 0u);
}

TEST_F(Produce, PipelinedRequestsKeepTheirOrderAlsoAcrossAWorker) {
  const TopicId slow = rig.engine.state.add_topic("slow", 1, {{"cleanup.policy", "compact"}});
  for (int i = 0; i < 10; ++i) {
    client.send(request_of(i % 2 == 0 ? "slow" : "t", {{0, make_batch({.records = 1})}}), 9);
  }
  for (int i = 0; i < 10; ++i) {
    Response response = client.receive<Response>(9);
    EXPECT_EQ(response.responses[0].partition_responses[0].base_offset, i / 2);
  }
  ASSERT_EQ(rig.engine.appended.size(), 10u);
  for (std::size_t i = 0; i < 10; ++i)
    EXPECT_EQ(rig.engine.appended[i].topic, i % 2 == 0 ? slow : topic) << i;
}

TEST_F(Produce, ReadingGoesOnWhileACommitIsPending) {
  rig.engine.held = true;
  for (int i = 0; i < 5; ++i) client.send(request_of("t", {{0, make_batch()}}), 9);
  EXPECT_FALSE(client.next_frame(1s));
  EXPECT_EQ(rig.engine.produce_calls, 5);
  rig.engine.release();
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(client.receive<Response>(9).responses[0].partition_responses[0].base_offset, i);
}

TEST_F(Produce, TimesOutByItsOwnTime) {
  rig.engine.held = true;
  Request request = request_of("t", {{0, make_batch()}});
  request.timeout_ms = 3000;
  const MonoTime start = rig.world.now();
  EXPECT_EQ(produce_one(client, request).error_code, code(KafkaError::request_timed_out));
  EXPECT_GE(rig.world.now() - start, 3s);
  EXPECT_LT(rig.world.now() - start, 4s);
  rig.engine.release();
}

TEST_F(Produce, AStoreFailureIsRetriable) {
  rig.engine.failure = ErrorCode::unavailable;
  EXPECT_EQ(send(make_batch()).error_code, code(KafkaError::kafka_storage_error));
}

TEST_F(Produce, RefusalsOfTheFoldBecomeKafkasCodes) {
  const auto refused = [&](state::Refusal refusal) {
    rig.engine.refuse_produce = [=](const engine::ProduceItem&) { return refusal; };
    return send(make_batch());
  };
  EXPECT_EQ(refused(state::Refusal::out_of_order_sequence).error_code, 45);
  EXPECT_EQ(refused(state::Refusal::invalid_producer_epoch).error_code, 47);
  EXPECT_EQ(refused(state::Refusal::duplicate_forgotten).error_code, 46);
  Row row = refused(state::Refusal::unknown_producer);
  EXPECT_EQ(row.error_code, 59);
  EXPECT_EQ(row.log_start_offset, 0) << "with -1 Java repeats the request for ever";
}

TEST_F(Produce, UnknownTopicsAndIdsAreSaidAfterABarrier) {
  EXPECT_EQ(produce_one(client, request_of("nowhere", {{0, make_batch()}})).error_code,
            code(KafkaError::unknown_topic_or_partition));
  EXPECT_EQ(rig.engine.barriers, 1);
  Request by_id = request_of("", {{0, make_batch()}});
  by_id.topic_data[0].topic_id.bytes[3] = 9;
  EXPECT_EQ(produce_one(client, by_id, 13).error_code, code(KafkaError::unknown_topic_id));
  by_id.topic_data[0].topic_id = topic;
  by_id.topic_data[0].partition_data[0].index = 7;
  EXPECT_EQ(produce_one(client, by_id, 13).error_code,
            code(KafkaError::unknown_topic_or_partition));
}

TEST_F(Produce, APartitionNamedTwiceIsAnsweredTwice) {
  Response response =
      client.call<Response>(request_of("t", {{0, make_batch()}, {0, make_batch()}}), 9);
  EXPECT_EQ(response.responses[0].partition_responses[0].error_code, 0);
  EXPECT_EQ(response.responses[0].partition_responses[1].error_code,
            code(KafkaError::invalid_request));
}

TEST(ProducePath, WorksWithLanesOfTheirOwn) {
  Rig rig(handler_table(), {.lanes = 2});
  rig.engine.state.add_topic("t", 1);
  auto client = rig.connect();
  for (int i = 0; i < 20; ++i) client.send(request_of("t", {{0, make_batch()}}), 9);
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(client.receive<Response>(9).responses[0].partition_responses[0].base_offset, i);
}

}  // namespace
}  // namespace weir::broker::handlers
