// The sending half of Producer: one driver per partition keeps its batches in order.
#include "base/narrow.h"
#include "client/kafka_error.h"
#include "client/producer.h"
#include "client/producer_state.h"

namespace weir::client {

rt::Task<void> Producer::drive(Partition& partition) {
  while (!closing_ || partition.under_way != 0) {
    settle(partition);
    if (closing_ && partition.under_way == 0) break;
    bool failed = false;
    for (const Batch& batch : partition.batches) failed |= batch.again;
    std::optional<MonoTime> wake;
    if (failed && partition.under_way == 0 && !closing_) {
      co_await recover(partition);
      continue;
    }
    if (!failed && !closing_) wake = launch(partition);
    if (wake)
      (void)co_await partition.changed.wait_until(*wake);
    else
      co_await partition.changed.wait();
  }
  for (Batch& batch : partition.batches)
    if (!batch.done) {
      batch.done = true;
      batch.error = Error{ErrorCode::cancelled, "the producer was closed"};
    }
  settle(partition);
}

/// Starts what may be sent now; gives when the batch that fills has lingered enough.
std::optional<MonoTime> Producer::launch(Partition& partition) {
  if (partition.filling && (flushing_ || loop_.now() >= partition.linger_until)) seal(partition);
  for (Batch& batch : partition.batches) {
    if (partition.under_way >= in_flight_max()) break;
    if (batch.under_way || batch.done) continue;
    batch.under_way = true;
    ++partition.under_way;
    scope_.spawn(transmit(partition, batch));
  }
  if (partition.filling) return partition.linger_until;
  return std::nullopt;
}

rt::Task<void> Producer::transmit(Partition& partition, Batch& batch) {
  ++batch.attempts;
  // An attempt may fail without waiting for anything; the driver must wait by then, to be woken.
  co_await rt::yield(loop_);
  Error error = co_await attempt(partition, batch);
  batch.under_way = false;
  --partition.under_way;
  if (batch.done) {
    batch.error.reset();
  } else {
    batch.error = std::move(error);
    batch.done = !batch.again;
  }
  partition.changed.notify_all();
}

rt::Task<Result<NodeId>> Producer::leader_of(Partition& partition, MonoTime deadline) {
  const TopicMetadata* topic = cluster_.find(partition.topic);
  if (!topic) {
    Result<TopicMetadata> asked = co_await cluster_.topic(partition.topic, deadline);
    if (!asked) co_return std::unexpected(asked.error());
    topic = cluster_.find(partition.topic);
  }
  auto at = narrow<std::size_t>(partition.index.value);
  if (topic && at < topic->partitions.size() && topic->partitions[at].leader.value >= 0)
    co_return topic->partitions[at].leader;
  cluster_.forget(partition.topic);
  co_return fail(ErrorCode::unavailable, "the partition has no leader");
}

/// One attempt. Sets `done` on success, `again` when another attempt may help; else the error is
/// final.
rt::Task<Error> Producer::attempt(Partition& partition, Batch& batch) {
  MonoTime deadline = std::min(batch.overdue, loop_.now() + kRequestTimeout);
  Result<NodeId> leader = co_await leader_of(partition, deadline);
  if (!leader) {
    batch.again = is_retriable(leader.error());
    co_return leader.error();
  }
  wire::ProduceRequest request;
  request.acks = options_.acks;
  request.timeout_ms = narrow<std::int32_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(kRequestTimeout).count());
  auto& item = request.topic_data.emplace_back();
  item.name = partition.topic;
  item.partition_data.push_back(
      {.index = partition.index.value, .records = BytesChain(batch.bytes)});
  // From version 13 on topics are named by id; names survive a recreated topic, as people expect.
  constexpr std::int16_t kNamesVersionMax = 12;
  Result<wire::ProduceResponse> answer =
      co_await cluster_.call(*leader, std::move(request),
                             {.deadline = deadline,
                              .version_max = kNamesVersionMax,
                              .expects_answer = options_.acks != 0});
  if (!answer) {
    batch.again = is_retriable(answer.error());
    cluster_.forget(partition.topic);
    co_return answer.error();
  }
  if (options_.acks == 0) {
    batch.done = true;
    co_return Error{};
  }
  if (answer->responses.empty() || answer->responses.front().partition_responses.empty())
    co_return Error{ErrorCode::corrupt, "the answer to Produce names no partition"};
  const auto& result = answer->responses.front().partition_responses.front();
  if (result.error_code == 0 || is(result.error_code, KafkaCode::duplicate_sequence_number)) {
    batch.done = true;
    if (result.error_code == 0) batch.base_offset = Offset(result.base_offset);
    co_return Error{};
  }
  KafkaErrorTraits traits = traits_of(result.error_code);
  if (traits.refresh_metadata) cluster_.forget(partition.topic);
  // A batch behind one that failed is out of order without being wrong.
  bool is_first = &batch == &partition.batches.front();
  bool overtook = !is_first && (is(result.error_code, KafkaCode::out_of_order_sequence_number) ||
                                is(result.error_code, KafkaCode::unknown_producer_id));
  batch.again = traits.retriable || overtook;
  co_return to_error(result.error_code, result.error_message);
}

/// After a failed attempt, with nothing under way: waits, then lets everything that is not done go
/// again, in order.
rt::Task<void> Producer::recover(Partition& partition) {
  Batch& first = partition.batches.front();
  bool goes_on = co_await cluster_.pause(first.attempts, first.overdue);
  for (Batch& batch : partition.batches) {
    if (!batch.again) continue;
    batch.again = false;
    if (goes_on && !closing_) continue;
    batch.done = true;
  }
}

/// Reports finished batches in order, and fails the rest of a partition that has ended.
void Producer::settle(Partition& partition) {
  while (!partition.batches.empty()) {
    Batch& batch = partition.batches.front();
    if (partition.ended && !batch.under_way && !batch.done) {
      batch.done = true;
      batch.error = partition.ended;
    }
    if (!batch.done || batch.under_way) return;
    finish(partition, batch, batch.error);
    partition.batches.pop_front();
  }
}

void Producer::finish(Partition& partition, Batch& batch, const std::optional<Error>& error) {
  buffered_bytes_ -= batch.buffered;
  --batches_open_;
  if (error) {
    records_failed_ += narrow<std::uint64_t>(batch.records);
    if (!first_failure_)
      first_failure_ =
          Error{error->code, partition.topic + " partition " +
                                 std::to_string(partition.index.value) + ": " + error->message};
    if (!partition.ended) partition.ended = *error;
  } else {
    records_delivered_ += narrow<std::uint64_t>(batch.records);
  }
  if (listener_)
    listener_->on_delivery({.topic = partition.topic,
                            .partition = partition.index,
                            .base_offset = batch.base_offset,
                            .records = batch.records,
                            .error = error ? &*error : nullptr});
  changed_.notify_all();
}

}  // namespace weir::client
