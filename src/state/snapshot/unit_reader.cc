#include <limits>

#include "state/limits.h"
#include "state/snapshot/unit_codec.h"
#include "state/topics/configs.h"
#include "state/topics/names.h"
#include "state/varint.h"

namespace weir::state {
namespace {

using serial::Form;
using serial::Reader;

/// An unsigned number that fits T and is at most `max`.
template <class T>
T number(Reader& in, const char* field, T max = std::numeric_limits<T>::max()) {
  std::uint64_t value = in.uvarint(field);
  if (value > static_cast<std::uint64_t>(max)) {
    in.fail_value(field);
    return T{};
  }
  return static_cast<T>(value);
}

void expect(Reader& in, bool condition, const char* field) {
  if (in.ok() && !condition) in.fail_value(field);
}

std::string text(Reader& in, std::size_t bytes_max, const char* field) {
  std::string value = in.string(Form::compact, field);
  expect(in, value.size() <= bytes_max, field);
  return value;
}

template <class Id>
Id id(Reader& in, const char* field) {
  return Id::from_bytes(in.uuid(field).view());
}

Position position(Reader& in, const char* field) { return Position(in.uvarint(field)); }

PartitionRef ref(Reader& in) {
  PartitionRef ref;
  ref.topic = in.uuid("partition.topic");
  ref.partition = PartitionIndex(number<std::int32_t>(in, "partition.index"));
  return ref;
}

ConfigMap configs(Reader& in) {
  ConfigMap configs;
  auto count = number<std::size_t>(in, "configs", kConfigsPerResourceMax);
  for (std::size_t i = 0; i < count && in.ok(); ++i) {
    std::string key = in.string(Form::compact, "config.key");
    std::string value = in.string(Form::compact, "config.value");
    bool valid = is_config(key, value) && (configs.empty() || configs.back().first < key);
    expect(in, valid, "config");
    configs.emplace_back(std::move(key), std::move(value));
  }
  return configs;
}

NotedSnapshot noted(Reader& in) {
  NotedSnapshot noted;
  noted.position = position(in, "noted.position");
  noted.writer = id<Incarnation>(in, "noted.writer");
  noted.counter = in.uvarint("noted.counter");
  noted.digest.low = static_cast<std::uint64_t>(in.int64("noted.digest"));
  noted.digest.high = static_cast<std::uint64_t>(in.int64("noted.digest"));
  noted.bytes = in.uvarint("noted.bytes");
  noted.noted_at = position(in, "noted.noted_at");
  return noted;
}

Span span(Reader& in, const Span& last) {
  Span span;
  span.base = last.end();
  span.records = number<std::int32_t>(in, "span.records");
  span.bytes = number<std::uint32_t>(in, "span.bytes");
  span.object.value = last.object.value + static_cast<std::uint64_t>(in.varlong("span.object"));
  span.first_byte = number<std::uint32_t>(in, "span.first_byte");
  span.max_timestamp_ms = wrapping_sum(last.max_timestamp_ms, in.varlong("span.timestamp"));
  std::int64_t epoch = wrapping_sum(last.epoch.value, in.varlong("span.epoch"));
  bool fits = span.base.value <= std::numeric_limits<std::int64_t>::max() - span.records;
  expect(in,
         span.records > 0 && span.bytes > 0 && fits && epoch >= 0 &&
             epoch <= std::numeric_limits<std::int32_t>::max(),
         "span");
  if (in.ok()) span.epoch = LeaderEpoch(static_cast<std::int32_t>(epoch));
  return span;
}

}  // namespace

MetaValues read_meta(Reader& in) {
  MetaValues meta;
  meta.cluster_id = text(in, kClusterIdBytesMax, "meta.cluster_id");
  meta.created_ms = in.varlong("meta.created_ms");
  meta.level = FeatureLevel(
      number<std::uint16_t>(in, "meta.level", std::numeric_limits<std::int16_t>::max()));
  meta.next_producer_id = number<std::int64_t>(in, "meta.next_producer_id");
  meta.next_object = number<std::uint64_t>(in, "meta.next_object", std::uint64_t{1} << 62);
  meta.producer_uses = in.uvarint("meta.producer_uses");
  meta.placement_epoch = LeaderEpoch(number<std::int32_t>(in, "meta.placement_epoch"));
  meta.last_forget = position(in, "meta.last_forget");
  meta.horizon = position(in, "meta.horizon");
  auto count = number<std::size_t>(in, "meta.noted_snapshots", kNotedSnapshotsKept);
  for (std::size_t i = 0; i < count && in.ok(); ++i) meta.noted_snapshots.push_back(noted(in));
  return meta;
}

BrokerState read_broker(Reader& in) {
  BrokerState broker;
  BrokerInfo& info = broker.info;
  info.incarnation = id<Incarnation>(in, "broker.incarnation");
  info.node_id = NodeId(in.varint("broker.node_id"));
  info.zone = in.nullable_string(Form::compact, serial::Null::allowed, "broker.zone");
  info.shared_identity = number<std::uint8_t>(in, "broker.shared_identity", 1) != 0;
  auto count = number<std::size_t>(in, "broker.endpoints", kEndpointsPerBrokerMax);
  for (std::size_t i = 0; i < count && in.ok(); ++i) {
    BrokerEndpoint endpoint;
    endpoint.listener = text(in, kBrokerTextBytesMax, "endpoint.listener");
    endpoint.protocol = text(in, kBrokerTextBytesMax, "endpoint.protocol");
    endpoint.host = text(in, kBrokerTextBytesMax, "endpoint.host");
    endpoint.port = number<std::uint16_t>(in, "endpoint.port");
    info.endpoints.push_back(std::move(endpoint));
  }
  info.software_version = text(in, kBrokerTextBytesMax, "broker.software_version");
  info.last_sign = position(in, "broker.last_sign");
  info.session_timeout_ms = in.varint("broker.session_timeout_ms");
  broker.last = CommandCounter(in.uvarint("broker.last"));
  broker.registered = position(in, "broker.registered");
  broker.level_min = FeatureLevel(number<std::uint16_t>(in, "broker.level_min"));
  broker.level_max = FeatureLevel(number<std::uint16_t>(in, "broker.level_max"));
  expect(in, info.node_id.value >= 0, "broker");
  return broker;
}

ReadConfigs read_broker_configs(Reader& in) {
  ReadConfigs read;
  read.node = NodeId(in.varint("configs.node"));
  read.version = number<std::int32_t>(in, "configs.version");
  read.configs = configs(in);
  expect(in, read.node.value >= -1 && read.version > 0, "configs");
  return read;
}

ReadResource read_resource(Reader& in) {
  ReadResource read;
  auto type = number<std::int8_t>(in, "resource.type");
  read.key.type = static_cast<ResourceType>(type);
  read.key.name = text(in, kResourceNameBytesMax, "resource.name");
  read.version = number<std::int32_t>(in, "resource.version");
  read.configs = configs(in);
  const bool counter = read.key.type == ResourceType::none;
  const bool known =
      read.key.type == ResourceType::client_metrics || read.key.type == ResourceType::group;
  expect(in, counter || known, "resource.type");
  expect(in, read.version > 0 && read.key.name.empty() == counter, "resource");
  expect(in, read.configs.empty() == counter, "resource.configs");
  return read;
}

TopicInfo read_topic(Reader& in) {
  TopicInfo topic;
  topic.id = in.uuid("topic.id");
  topic.name = text(in, kTopicNameBytesMax, "topic.name");
  topic.partitions = number<std::int32_t>(in, "topic.partitions", kPartitionsPerTopicMax);
  topic.replication_factor = number<std::int16_t>(in, "topic.replication_factor");
  topic.config_version = number<std::int32_t>(in, "topic.config_version");
  topic.configs = configs(in);
  bool valid = !topic.id.is_nil() && is_topic_name(topic.name) && topic.partitions > 0;
  expect(in, valid && topic.replication_factor > 0, "topic");
  return topic;
}

ReadSegment read_segment(Reader& in) {
  ReadSegment segment;
  segment.id =
      ObjectId::make(number<std::uint64_t>(in, "segment.sequence", std::uint64_t{1} << 62), true);
  segment.name.born = position(in, "segment.born");
  segment.name.writer = id<Incarnation>(in, "segment.writer");
  segment.name.counter = in.uvarint("segment.counter");
  segment.bytes = number<std::uint64_t>(in, "segment.bytes", kSegmentBytesMax);
  segment.live_bytes = number<std::uint64_t>(in, "segment.live_bytes", segment.bytes);
  return segment;
}

ReadChunk read_chunk(Reader& in) {
  ReadChunk chunk;
  constexpr std::uint64_t kNumberMax = (std::uint64_t{1} << 62) / InlineChunk::kObjects;
  auto number_of = number<std::uint64_t>(in, "chunk.number", kNumberMax);
  chunk.base = position(in, "chunk.base");
  auto live = number<std::uint64_t>(in, "chunk.live", InlineChunk::kObjects);
  std::uint64_t next = 0;
  std::uint64_t delta = 0;
  for (std::uint64_t i = 0; i < live && in.ok(); ++i) {
    ReadInline read;
    std::uint64_t at = next + number<std::uint32_t>(in, "inline.skip");
    delta += number<std::uint32_t>(in, "inline.position");
    read.object.nonce_tag = static_cast<std::uint64_t>(in.int64("inline.nonce_tag"));
    read.object.live_bytes = number<std::uint32_t>(in, "inline.live_bytes");
    read.sequence = number_of * InlineChunk::kObjects + at;
    read.position = Position(chunk.base.value + delta);
    bool fits = delta <= std::numeric_limits<std::uint32_t>::max() &&
                chunk.base.value <= std::numeric_limits<std::uint64_t>::max() - delta;
    expect(in, at < InlineChunk::kObjects && read.object.live_bytes > 0 && fits, "inline");
    next = at + 1;
    chunk.objects.push_back(read);
  }
  expect(in, live > 0, "chunk.live");
  return chunk;
}

ReadPartition read_partition(Reader& in) {
  ReadPartition partition;
  partition.ref = ref(in);
  partition.start = Offset(number<std::int64_t>(in, "partition.start"));
  partition.first_base = Offset(number<std::int64_t>(in, "partition.first_base"));
  partition.max_timestamp_ms = in.varlong("partition.max_timestamp");
  auto count = number<std::uint32_t>(in, "partition.spans");
  Span last;
  last.base = partition.first_base;
  last.records = 0;
  last.max_timestamp_ms = 0;
  for (std::uint32_t i = 0; i < count && in.ok(); ++i) {
    last = span(in, last);
    partition.spans.push_back(last);
  }
  if (!in.ok()) return partition;
  // The start lies in the first span, or nothing is left.
  bool valid = partition.spans.empty() ? partition.start == partition.first_base
                                       : partition.start >= partition.first_base &&
                                             partition.start < partition.spans.front().end();
  expect(in, valid, "partition.start");
  return partition;
}

ReadProducer read_producer(Reader& in) {
  ReadProducer producer;
  producer.id = ProducerId(number<std::int64_t>(in, "producer.id"));
  producer.last_position = position(in, "producer.last_position");
  producer.last_use = in.uvarint("producer.last_use");
  return producer;
}

ReadSequences read_sequences(Reader& in) {
  ReadSequences sequences;
  sequences.at = ref(in);
  sequences.producer = ProducerId(number<std::int64_t>(in, "sequences.producer"));
  ProducerEpoch epoch(number<std::int16_t>(in, "sequences.epoch"));
  auto count = number<std::size_t>(in, "sequences.runs", RunMemory::kRunsMax);
  for (std::size_t i = 0; i < count && in.ok(); ++i) {
    RememberedRun run;
    run.base_offset = number<std::int64_t>(in, "run.base_offset");
    run.first_sequence = number<std::int32_t>(in, "run.first_sequence");
    run.records = number<std::int32_t>(in, "run.records");
    auto batches = number<std::uint8_t>(in, "run.batches");
    expect(in, in.ok() && sequences.runs.restore(epoch, run, batches), "run");
  }
  expect(in, count > 0, "sequences.runs");
  return sequences;
}

}  // namespace weir::state
