#include "perf/produce_call.h"

#include "base/narrow.h"
#include "client/kafka_error.h"
#include "perf/limits.h"

namespace weir::perf {
namespace {

// From version 13 on topics are named by id.
constexpr std::int16_t kNamesVersionMax = 12;

}  // namespace

rt::Task<Result<void>> call_produce(client::Connection& connection, const ProduceOptions& options,
                                    PartitionBatches batches, MonoTime deadline) {
  wire::ProduceRequest request;
  request.acks = options.acks;
  request.timeout_ms = narrow<std::int32_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(options.timeout).count());
  auto& topic = request.topic_data.emplace_back();
  topic.name = options.topic;
  topic.partition_data.reserve(batches.size());
  for (auto& [index, bytes] : batches)
    topic.partition_data.push_back({.index = index.value, .records = std::move(bytes)});
  const std::size_t sent = batches.size();
  Result<wire::ProduceResponse> answer = co_await connection.call(
      std::move(request),
      {.deadline = deadline, .version_max = kNamesVersionMax, .expects_answer = options.acks != 0});
  if (!answer) co_return std::unexpected(answer.error());
  if (options.acks == 0) co_return Result<void>();
  std::size_t answered = 0;
  for (const auto& each : answer->responses)
    for (const auto& partition : each.partition_responses) {
      ++answered;
      if (partition.error_code != 0)
        co_return with_context(client::to_error(partition.error_code, partition.error_message),
                               options.topic + " partition " + std::to_string(partition.index));
    }
  if (answered != sent)
    co_return fail(ErrorCode::corrupt, "an answer to Produce is for " + std::to_string(answered) +
                                           " of " + std::to_string(sent) + " partitions");
  co_return Result<void>();
}

rt::Task<Result<ProducerIdentity>> init_producer(rt::Loop& loop, client::Connection& connection,
                                                 MonoTime deadline) {
  for (;;) {
    wire::InitProducerIdRequest request;
    request.transactional_id.reset();
    Result<wire::InitProducerIdResponse> answer =
        co_await connection.call(std::move(request), {.deadline = deadline});
    if (!answer) co_return std::unexpected(answer.error());
    if (answer->error_code == 0)
      co_return ProducerIdentity{ProducerId(answer->producer_id),
                                 ProducerEpoch(answer->producer_epoch)};
    // A broker that has just started has no ids yet.
    if (!client::traits_of(answer->error_code).retriable || loop.now() >= deadline)
      co_return with_context(client::to_error(answer->error_code), "InitProducerId");
    co_await rt::sleep_for(loop, kTopicPause);
  }
}

}  // namespace weir::perf
