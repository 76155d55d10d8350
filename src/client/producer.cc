#include "client/producer.h"

#include "base/narrow.h"
#include "client/kafka_error.h"
#include "client/producer_state.h"

namespace weir::client {
namespace {

/// More than what a record adds beside its bytes.
constexpr std::size_t kRecordOverhead = 64;
constexpr std::size_t kHeaderOverhead = 16;

std::size_t size_of(const OutgoingRecord& record) {
  std::size_t size = kRecordOverhead;
  if (record.key) size += record.key->size();
  if (record.value) size += record.value->size();
  for (const auto& [key, value] : record.headers)
    size += key.size() + value.size() + kHeaderOverhead;
  return size;
}

std::optional<Bytes> bytes_of(const std::optional<std::string>& text) {
  if (!text) return std::nullopt;
  return as_bytes(*text);
}

}  // namespace

Producer::Producer(Cluster& cluster, rt::Random& random, ProducerOptions options,
                   DeliveryListener* listener)
    : cluster_(cluster),
      loop_(cluster.loop()),
      random_(random),
      options_(options),
      listener_(listener),
      changed_(loop_),
      scope_(loop_) {
  if (options_.acks != -1) options_.idempotent = false;
}

Producer::~Producer() = default;

std::size_t Producer::in_flight_max() const {
  // Without sequences the broker cannot notice that a retried batch comes after its successor.
  return options_.idempotent ? kProduceInFlightMax : 1;
}

PartitionIndex Producer::choose_partition(const std::string& topic, const OutgoingRecord& record,
                                          std::size_t partitions) {
  if (record.partition) return *record.partition;
  if (record.key) return partition_of_key(*record.key, partitions);
  auto [found, fresh] = sticky_.try_emplace(topic);
  if (fresh || narrow<std::size_t>(found->second.value) >= partitions)
    found->second = PartitionIndex(narrow<std::int32_t>(random_.below(partitions)));
  return found->second;
}

rt::Task<Result<Producer::Partition*>> Producer::partition_for(const std::string& topic,
                                                               const OutgoingRecord& record) {
  const TopicMetadata* metadata = cluster_.find(topic);
  if (!metadata) {
    Result<TopicMetadata> asked =
        co_await cluster_.topic(topic, loop_.now() + options_.delivery_timeout);
    if (!asked) co_return std::unexpected(asked.error());
    metadata = cluster_.find(topic);
    if (!metadata) co_return fail(ErrorCode::unavailable, topic + " changes at the moment");
  }
  std::size_t count = metadata->partitions.size();
  if (count == 0) co_return fail(ErrorCode::not_found, topic + " has no partitions");
  PartitionIndex index = choose_partition(topic, record, count);
  if (index.value < 0 || narrow<std::size_t>(index.value) >= count)
    co_return fail(ErrorCode::not_found, topic + " has no partition " +
                                             std::to_string(index.value) + ", only 0 to " +
                                             std::to_string(count - 1));
  std::unique_ptr<Partition>& partition = partitions_[{topic, index}];
  if (!partition) {
    partition = std::make_unique<Partition>(loop_, topic, index);
    scope_.spawn(drive(*partition));
  }
  co_return partition.get();
}

rt::Task<Result<void>> Producer::ensure_producer_id() {
  MonoTime deadline = loop_.now() + options_.delivery_timeout;
  for (int attempt = 0; options_.idempotent && producer_id_.value < 0; ++attempt) {
    wire::InitProducerIdRequest request;
    request.transactional_id.reset();
    Result<wire::InitProducerIdResponse> answer = co_await cluster_.call(
        std::nullopt, request, {.deadline = std::min(deadline, loop_.now() + kRequestTimeout)});
    if (answer && answer->error_code == 0) {
      producer_id_ = ProducerId(answer->producer_id);
      producer_epoch_ = ProducerEpoch(answer->producer_epoch);
      break;
    }
    Error error = answer ? to_error(answer->error_code) : answer.error();
    bool again = answer ? traits_of(answer->error_code).retriable : is_retriable(error);
    if (!again || !co_await cluster_.pause(attempt, deadline)) co_return std::unexpected(error);
  }
  co_return Result<void>();
}

rt::Task<Result<void>> Producer::send(std::string topic, OutgoingRecord record) {
  std::size_t size = size_of(record);
  if (size > options_.buffered_bytes_max)
    co_return fail(ErrorCode::too_large, "the record is larger than the producer's buffer");
  WEIR_CO_TRY(co_await ensure_producer_id());
  Result<Partition*> partition = co_await partition_for(topic, record);
  if (!partition) co_return std::unexpected(partition.error());
  // Deliveries, which have deadlines, make room.
  while (!closing_ && buffered_bytes_ + size > options_.buffered_bytes_max) {
    for (auto& [key, other] : partitions_) seal(*other);
    co_await changed_.wait();
  }
  if (closing_) co_return fail(ErrorCode::cancelled, "the producer was closed");
  if ((*partition)->ended) co_return std::unexpected(*(*partition)->ended);
  append(**partition, record);
  co_return Result<void>();
}

void Producer::append(Partition& partition, const OutgoingRecord& record) {
  std::size_t size = size_of(record);
  if (partition.filling && partition.filling_bytes + size > options_.batch_bytes_max)
    seal(partition);
  if (!partition.filling) {
    partition.filling = std::make_unique<record::BatchBuilder>(record::BatchOptions{
        .codec = options_.codec,
        .producer_id = producer_id_,
        .producer_epoch = producer_epoch_,
        .base_sequence = options_.idempotent ? partition.next_sequence : record::no_sequence});
    partition.filling_bytes = 0;
    partition.linger_until = loop_.now() + options_.linger;
    ++batches_open_;
    partition.changed.notify_all();
  }
  std::vector<record::NewHeader> headers;
  headers.reserve(record.headers.size());
  for (const auto& [key, value] : record.headers) headers.push_back({key, as_bytes(value)});
  partition.filling->append({.timestamp = record.timestamp.value_or(loop_.wall_now()),
                             .key = bytes_of(record.key),
                             .value = bytes_of(record.value),
                             .headers = headers});
  partition.filling_bytes += size;
  buffered_bytes_ += size;
  if (partition.filling_bytes >= options_.batch_bytes_max) seal(partition);
}

/// Makes the batch that fills ready to be sent.
void Producer::seal(Partition& partition) {
  if (!partition.filling) return;
  Batch& batch = partition.batches.emplace_back();
  batch.records = partition.filling->records();
  batch.buffered = partition.filling_bytes;
  batch.overdue = loop_.now() + options_.delivery_timeout;
  Result<Buffer> bytes = std::move(*partition.filling).finish();
  partition.filling.reset();
  if (bytes) {
    batch.bytes = SharedBytes(std::move(*bytes));
  } else {
    batch.done = true;
    batch.error = bytes.error();
  }
  // Sequences wrap from 2^31-1 to 0.
  auto next = static_cast<std::uint32_t>(partition.next_sequence) +
              static_cast<std::uint32_t>(batch.records);
  partition.next_sequence = static_cast<std::int32_t>(next & 0x7fffffff);
  sticky_.erase(partition.topic);
  partition.changed.notify_all();
}

rt::Task<Result<void>> Producer::flush() {
  flushing_ = true;
  for (auto& [key, partition] : partitions_) seal(*partition);
  while (batches_open_ != 0 && !closing_) co_await changed_.wait();
  flushing_ = false;
  if (first_failure_) co_return std::unexpected(*std::exchange(first_failure_, std::nullopt));
  co_return Result<void>();
}

rt::Task<void> Producer::close() {
  closing_ = true;
  changed_.notify_all();
  for (auto& [key, partition] : partitions_) {
    seal(*partition);
    partition->changed.notify_all();
  }
  co_await scope_.join();
}

}  // namespace weir::client
