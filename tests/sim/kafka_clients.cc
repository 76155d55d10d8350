#include "tests/sim/kafka_clients.h"

#include "base/narrow.h"
#include "tests/sim/batches.h"

namespace weir::sim {

namespace {

constexpr Duration kPause = 200ms;
constexpr Duration kTimeOut = 5s;
/// Brokers' clocks jump; a record of the future would be refused, as in Kafka.
constexpr std::int64_t kTimestampsAgoMs = 6 * 3'600'000;

}  // namespace

KafkaWriter::KafkaWriter(KafkaClientParts parts, KafkaWriterOptions options)
    : parts_(parts),
      options_(std::move(options)),
      cluster_(parts_.node.loop(), parts_.node.network(), parts_.node.random(),
               {parts_.bootstrap, "writer"}) {}

rt::Task<void> KafkaWriter::run() {
  while (!gone() && !finishing_) {
    co_await session();
    co_await rt::sleep_for(parts_.node.loop(), kPause);
  }
  cluster_.shut();
  co_await cluster_.close();
  done_ = true;
}

rt::Task<void> KafkaWriter::session() {
  stream_ = parts_.checker.add_stream(options_.at, options_.idempotent);
  next_number_ = settled_ = 0;
  client::ProducerOptions options;
  options.idempotent = options_.idempotent;
  options.codec = options_.codec;
  options.batch_bytes_max = options_.batch_bytes_max;
  options.delivery_timeout = options_.delivery_timeout;
  client::Producer producer(cluster_, parts_.node.random(), options, this);
  while (!gone() && !finishing_) {
    auto sent = co_await send_burst(producer);
    if (!sent) {
      trouble_ = weir::describe(sent.error());
      break;
    }
    auto jitter = parts_.node.random().below(static_cast<std::uint64_t>(options_.pace.count()));
    Duration pause = options_.pace / 2 + Duration(static_cast<std::int64_t>(jitter));
    for (Duration d = 0ms; d < pause && !finishing_ && !gone(); d += kPause)
      co_await rt::sleep_for(parts_.node.loop(), kPause);
  }
  if (!gone()) {
    auto flushed = co_await producer.flush();
    if (!flushed) trouble_ = weir::describe(flushed.error());
  }
  co_await producer.close();
}

rt::Task<Result<void>> KafkaWriter::send_burst(client::Producer& producer) {
  rt::Random& random = parts_.node.random();
  std::uint64_t count = 1 + random.below(options_.records_per_burst_max);
  for (std::uint64_t i = 0; i < count; ++i) {
    NewRecordText made = make_record(stream_, next_number_, options_.value_bytes_max, random);
    WallMillis time(parts_.node.loop().wall_now().value - kTimestampsAgoMs);
    parts_.checker.sent(stream_, seen_of({}, time.value, as_bytes(made.key), as_bytes(made.value)));
    ++next_number_;
    client::OutgoingRecord record;
    record.key = std::move(made.key);
    record.value = std::move(made.value);
    record.timestamp = time;
    record.partition = options_.at.partition;
    auto sent = co_await producer.send(options_.topic, std::move(record));
    if (!sent) co_return sent;
  }
  co_return Result<void>();
}

void KafkaWriter::on_delivery(const Delivery& delivery) {
  auto count = narrow<std::uint32_t>(delivery.records);
  if (delivery.error)
    trouble_ = weir::describe(*delivery.error);
  else if (!gone())
    parts_.checker.acknowledged({stream_, settled_, count}, delivery.base_offset);
  settled_ += count;
}

std::string KafkaWriter::describe() const {
  return "stream " + std::to_string(stream_) + ": " + std::to_string(settled_) + " of " +
         std::to_string(next_number_) + " records settled; last trouble: " + trouble_;
}

KafkaReader::KafkaReader(KafkaClientParts parts, std::string name)
    : parts_(parts),
      name_(std::move(name)),
      cluster_(parts_.node.loop(), parts_.node.network(), parts_.node.random(),
               {parts_.bootstrap, "reader"}) {}

std::string KafkaReader::topic_name(TopicId id) const {
  for (const KnownTopic& topic : parts_.topics.all)
    if (topic.id == id) return topic.name;
  return {};
}

void KafkaReader::assign_all(client::Consumer& consumer) {
  for (auto it = refs_.begin(); it != refs_.end();) {
    if (parts_.topics.is_live(it->second.topic)) {
      ++it;
      continue;
    }
    consumer.unassign(it->first);
    positions_.erase(it->first);
    it = refs_.erase(it);
  }
  for (const PartitionRef& ref : parts_.topics.live_partitions()) {
    client::TopicPartition at{topic_name(ref.topic), ref.partition};
    if (!refs_.try_emplace(at, ref).second) continue;
    positions_[at] = Offset(0);
    consumer.assign(at, Offset(0));
  }
}

rt::Task<void> KafkaReader::ask_offsets(client::Consumer& consumer, client::TopicPartition at,
                                        PartitionRef ref) {
  MonoTime deadline = parts_.node.loop().now() + kTimeOut;
  Checker::Known before = parts_.checker.known(ref);
  auto end = co_await consumer.find_offset(at, client::kLatestTimestamp, deadline);
  if (end && parts_.topics.is_live(ref.topic))
    parts_.checker.answered_end(ref, *end, before, name_ + " by ListOffsets");
  auto start = co_await consumer.find_offset(at, client::kEarliestTimestamp, deadline);
  auto position = positions_.find(at);
  if (!start || !end || position == positions_.end()) co_return;
  if (position->second >= *start && position->second <= *end) co_return;
  position->second = *start;
  consumer.assign(at, *start);
}

rt::Task<void> KafkaReader::look_again(client::Consumer& consumer) {
  assign_all(consumer);
  std::vector<std::pair<client::TopicPartition, PartitionRef>> all(refs_.begin(), refs_.end());
  for (auto& [at, ref] : all) {
    if (finishing_) co_return;
    co_await ask_offsets(consumer, at, ref);
  }
}

rt::Task<void> KafkaReader::run() {
  client::ConsumerOptions options;
  options.partition_bytes_max = 20'000;
  options.wait = 300ms;
  client::Consumer consumer(cluster_, options);
  rt::Random& random = parts_.node.random();
  while (!finishing_) {
    assign_all(consumer);
    if (random.below(80) == 0) co_await look_again(consumer);
    if (random.below(100) == 0)
      for (auto& [at, position] : positions_) {
        position = Offset(static_cast<std::int64_t>(
            random.below(static_cast<std::uint64_t>(position.value) + 1)));
        consumer.assign(at, position);
      }
    auto fetched = co_await consumer.poll(parts_.node.loop().now() + kTimeOut);
    if (fetched) {
      for (const client::Fetched& part : *fetched) take(part);
      continue;
    }
    if (fetched.error().is(ErrorCode::corrupt))
      parts_.checker.report(Violation::corrupt, name_ + ": " + weir::describe(fetched.error()));
    co_await rt::sleep_for(parts_.node.loop(), kPause);
    if (fetched.error().is(ErrorCode::not_found)) co_await look_again(consumer);
  }
  cluster_.shut();
  co_await cluster_.close();
  done_ = true;
}

void KafkaReader::take(const client::Fetched& fetched) {
  auto found = refs_.find(fetched.at);
  if (found == refs_.end() || !parts_.topics.is_live(found->second.topic)) return;
  Checker::Poll poll{.reader = name_, .at = found->second, .asked = fetched.from, .records = {}};
  auto read = client::for_each_record(fetched, [&](const record::RecordView& record) {
    poll.records.push_back(seen_of(record));
    return true;
  });
  if (!read) parts_.checker.report(Violation::corrupt, name_ + ": " + weir::describe(read.error()));
  parts_.checker.polled(poll);
  positions_[fetched.at] = fetched.next;
  bool right = poll.records.empty() || fetched.next == poll.records.back().offset.next();
  if (!right) parts_.checker.report(Violation::skipping_poll, name_ + ": a wrong next offset");
}

}  // namespace weir::sim
