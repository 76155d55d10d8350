#include "perf/record_producer.h"

#include <algorithm>

#include "base/narrow.h"
#include "client/producer.h"
#include "perf/limits.h"
#include "perf/raw_batches.h"
#include "perf/stamp.h"

namespace weir::perf {

RecordProducer::RecordProducer(Links& links, const ProduceOptions& options)
    : links_(links),
      options_(options),
      loop_(links.cluster().loop()),
      payload_(options.payload, options.seed),
      random_(options.seed + 1),
      stamped_value_(options.payload.value_bytes),
      begun_(loop_.now()),
      room_(loop_) {
  ENSURE(!options.stamps || options.payload.value_bytes >= kStampBytes);
}

rt::Task<Result<void>> RecordProducer::prepare() {
  std::size_t partitions = 0;
  for (const Share& share : links_.shares()) partitions += share.partitions.size();
  partitions_.resize(partitions);
  for (Share& share : links_.shares()) {
    Lane& lane = lanes_.emplace_back(loop_);
    lane.connection = share.connection.get();
    if (options_.idempotent) {
      auto made = co_await init_producer(loop_, *share.connection, loop_.now() + options_.timeout);
      if (!made) co_return std::unexpected(made.error());
      lane.producer = *made;
    }
    for (PartitionIndex index : share.partitions) {
      auto at = static_cast<std::size_t>(index.value);
      if (index.value < 0 || at >= partitions)
        co_return fail(ErrorCode::corrupt, "the partitions of the topic are not numbered densely");
      partitions_[at].index = index;
      partitions_[at].lane = &lane;
    }
  }
  co_return Result<void>();
}

rt::Task<Result<Outcome>> RecordProducer::run() {
  WEIR_CO_TRY(co_await prepare());
  begun_ = loop_.now();
  rt::Scope scope(loop_);
  for (Lane& lane : lanes_) scope.spawn(send(lane));
  scope.spawn(make_records());
  co_await scope.join();
  if (failure_) co_return std::unexpected(*failure_);
  outcome_.took = loop_.now() - begun_;
  co_return std::move(outcome_);
}

bool RecordProducer::goes_on() const {
  if (failure_ || links_.cluster().is_shut()) return false;
  return !options_.amount.bytes || made_bytes_ < *options_.amount.bytes;
}

rt::Task<void> RecordProducer::make_records() {
  const Schedule schedule(begun_, static_cast<double>(options_.bytes_per_second) /
                                      static_cast<double>(options_.payload.value_bytes));
  for (std::uint64_t number = 0; goes_on(); ++number) {
    if (number % kRecordsPerTurn == 0) co_await rt::yield(loop_);
    const MonoTime due = schedule.paced() ? schedule.due(number) : loop_.now();
    if (options_.amount.time && due - begun_ >= *options_.amount.time) break;
    if (due > loop_.now()) co_await rt::sleep_until(loop_, due);
    // Room comes with answers, and every request has a deadline.
    while (buffered_bytes_ > kBufferedBytesMax && goes_on()) co_await room_.wait();
    if (goes_on()) append(schedule.paced() ? due : loop_.now());
  }
  made_all_ = true;
  for (Lane& lane : lanes_) lane.changed.notify_all();
}

RecordProducer::Partition& RecordProducer::choose(const std::optional<std::string_view>& key) {
  if (key) {
    PartitionIndex index = client::partition_of_key(*key, partitions_.size());
    return partitions_[narrow<std::size_t>(index.value)];
  }
  if (!sticky_ || !sticky_->open) sticky_ = &partitions_[random_.below(partitions_.size())];
  return *sticky_;
}

void RecordProducer::append(MonoTime due) {
  record::NewRecord record{.timestamp = loop_.wall_now(), .value = payload_.value()};
  if (options_.stamps) {
    std::ranges::copy(*record.value, stamped_value_.begin());
    put_stamp(stamped_value_, due);
    record.value = stamped_value_;
  }
  const std::optional<std::string_view> key = payload_.key();
  if (key) record.key = as_bytes(*key);
  Partition& partition = choose(key);
  if (!partition.open) {
    partition.open = std::make_unique<Batch>(record::BatchOptions{
        .codec = options_.codec,
        .producer_id = partition.lane->producer.id,
        .producer_epoch = partition.lane->producer.epoch,
        .base_sequence = options_.idempotent ? partition.sequence : record::no_sequence});
    partition.open_number = ++batches_opened_;
    partition.lane->lingering.push_back(
        {loop_.now() + options_.linger, &partition, partition.open_number});
    partition.lane->changed.notify_all();
  }
  Batch& batch = *partition.open;
  const std::size_t before = batch.builder.bytes_uncompressed();
  batch.builder.append(record);
  batch.due.push_back(due);
  const std::size_t size = record.value->size() + (record.key ? record.key->size() : 0);
  batch.payload_bytes += size;
  buffered_bytes_ += size;
  made_bytes_ += size;
  const std::size_t grew = batch.builder.bytes_uncompressed() - before;
  if (batch.builder.bytes_uncompressed() + grew > options_.batch_bytes) {
    seal(partition);
    partition.lane->changed.notify_all();
  }
}

void RecordProducer::seal(Partition& partition) {
  partition.sequence = advance_sequence(partition.sequence, partition.open->builder.records());
  partition.sealed.push_back(std::move(partition.open));
  if (partition.is_ready) return;
  partition.is_ready = true;
  partition.lane->ready.push_back(&partition);
}

void RecordProducer::seal_what_lingered(Lane& lane) {
  const MonoTime now = loop_.now();
  while (!lane.lingering.empty()) {
    const Lingering& first = lane.lingering.front();
    const bool sealed = !first.partition->open || first.partition->open_number != first.open_number;
    if (!sealed && first.until > now && !made_all_) return;
    if (!sealed) seal(*first.partition);
    lane.lingering.pop_front();
  }
}

rt::Task<void> RecordProducer::send(Lane& lane) {
  rt::Scope scope(loop_);
  while (!failure_) {
    const bool room = lane.in_flight < options_.window;
    // What lingers fills up until it can be sent.
    if (room) seal_what_lingered(lane);
    if (room && !lane.ready.empty()) {
      Result<Parcel> parcel = next_parcel(lane);
      if (!parcel) {
        fail_with(parcel.error());
        break;
      }
      ++lane.in_flight;
      scope.spawn(transmit(lane, std::move(*parcel)));
      continue;
    }
    if (made_all_ && lane.in_flight == 0 && lane.ready.empty() && lane.lingering.empty()) break;
    if (room && !lane.lingering.empty())
      (void)co_await lane.changed.wait_until(lane.lingering.front().until);
    else
      // Records and answers wake it; both end.
      co_await lane.changed.wait();
  }
  co_await scope.join();
}

Result<RecordProducer::Parcel> RecordProducer::next_parcel(Lane& lane) {
  Parcel parcel;
  std::size_t raw = 0;
  // Once around: a partition has one batch in a request.
  for (std::size_t left = lane.ready.size(); left != 0 && !lane.ready.empty(); --left) {
    Partition& partition = *lane.ready.front();
    const std::size_t size = partition.sealed.front()->builder.bytes_uncompressed();
    if (raw != 0 && raw + size > kRequestBytesMax) break;
    raw += size;
    lane.ready.pop_front();
    std::unique_ptr<Batch> batch = std::move(partition.sealed.front());
    partition.sealed.pop_front();
    partition.is_ready = !partition.sealed.empty();
    if (partition.is_ready) lane.ready.push_back(&partition);
    parcel.records += static_cast<std::uint64_t>(batch->builder.records());
    parcel.payload_bytes += batch->payload_bytes;
    Result<Buffer> bytes = std::move(batch->builder).finish();
    if (!bytes) return std::unexpected(bytes.error());
    parcel.batch_bytes += bytes->size();
    parcel.batches.emplace_back(partition.index, SharedBytes(std::move(*bytes)));
    parcel.sources.push_back(std::move(batch));
  }
  return parcel;
}

rt::Task<void> RecordProducer::transmit(Lane& lane, Parcel parcel) {
  // The order of requests is that of these calls, for a call writes before it waits.
  Result<void> done = co_await call_produce(*lane.connection, options_, std::move(parcel.batches),
                                            loop_.now() + options_.timeout);
  const MonoTime now = loop_.now();
  --lane.in_flight;
  buffered_bytes_ -= parcel.payload_bytes;
  if (done) {
    for (const auto& batch : parcel.sources)
      for (MonoTime due : batch->due) outcome_.latency.record(now - due);
    outcome_.records += parcel.records;
    outcome_.batch_bytes += parcel.batch_bytes;
    outcome_.payload_bytes += parcel.payload_bytes;
    ++outcome_.requests;
  } else {
    fail_with(done.error());
  }
  lane.changed.notify_all();
  room_.notify_all();
}

void RecordProducer::fail_with(const Error& error) {
  if (!failure_) failure_ = error;
  for (Lane& lane : lanes_) lane.changed.notify_all();
  room_.notify_all();
}

}  // namespace weir::perf
