#include "state/snapshot/unit_codec.h"
#include "state/varint.h"

namespace weir::state {
namespace {

using serial::Form;
using serial::Writer;

void write_text(Writer& out, std::string_view text) { out.string(Form::compact, text, "text"); }

void write_configs(Writer& out, const ConfigMap& configs) {
  out.uvarint(configs.size());
  for (const auto& [key, value] : configs) {
    write_text(out, key);
    write_text(out, value);
  }
}

void write_ref(Writer& out, const PartitionRef& ref) {
  out.raw(ref.topic.view());
  out.uvarint(static_cast<std::uint64_t>(ref.partition.value));
}

}  // namespace

void write_unit(Writer& out, const MetaValues& meta) {
  write_text(out, meta.cluster_id);
  out.varlong(meta.created_ms);
  out.uvarint(meta.level.value);
  out.uvarint(static_cast<std::uint64_t>(meta.next_producer_id));
  out.uvarint(meta.next_object);
  out.uvarint(meta.producer_uses);
  out.uvarint(static_cast<std::uint64_t>(meta.placement_epoch.value));
  out.uvarint(meta.last_forget.value);
  out.uvarint(meta.horizon.value);
  out.uvarint(meta.noted_snapshots.size());
  for (const NotedSnapshot& noted : meta.noted_snapshots) {
    out.uvarint(noted.position.value);
    out.raw(noted.writer.view());
    out.uvarint(noted.counter);
    out.int64(static_cast<std::int64_t>(noted.digest.low));
    out.int64(static_cast<std::int64_t>(noted.digest.high));
    out.uvarint(noted.bytes);
    out.uvarint(noted.noted_at.value);
  }
}

void write_unit(Writer& out, const BrokerState& broker) {
  const BrokerInfo& info = broker.info;
  out.raw(info.incarnation.view());
  out.varint(info.node_id.value);
  out.nullable_string(Form::compact, serial::Null::allowed, info.zone, "zone");
  out.boolean(info.shared_identity);
  out.uvarint(info.endpoints.size());
  for (const BrokerEndpoint& endpoint : info.endpoints) {
    write_text(out, endpoint.listener);
    write_text(out, endpoint.protocol);
    write_text(out, endpoint.host);
    out.uvarint(endpoint.port);
  }
  write_text(out, info.software_version);
  out.uvarint(info.last_sign.value);
  out.varint(info.session_timeout_ms);
  out.uvarint(broker.last.value);
  out.uvarint(broker.registered.value);
  out.uvarint(broker.level_min.value);
  out.uvarint(broker.level_max.value);
}

void write_unit(Writer& out, NodeId node, const BrokerConfigs& configs) {
  out.varint(node.value);
  out.uvarint(static_cast<std::uint64_t>(configs.version()));
  write_configs(out, configs.configs());
}

void write_unit(Writer& out, const ResourceKey& key, const ResourceConfigs& configs) {
  out.uvarint(static_cast<std::uint64_t>(key.type));
  write_text(out, key.name);
  out.uvarint(static_cast<std::uint64_t>(configs.version()));
  write_configs(out, configs.configs());
}

void write_unit(Writer& out, const TopicInfo& topic) {
  out.raw(topic.id.view());
  write_text(out, topic.name);
  out.uvarint(static_cast<std::uint64_t>(topic.partitions));
  out.uvarint(static_cast<std::uint64_t>(topic.replication_factor));
  out.uvarint(static_cast<std::uint64_t>(topic.config_version));
  write_configs(out, topic.configs);
}

void write_unit(Writer& out, const Segment& segment) {
  out.uvarint(segment.id().sequence());
  out.uvarint(segment.name().born.value);
  out.raw(segment.name().writer.view());
  out.uvarint(segment.name().counter);
  out.uvarint(segment.bytes());
  out.uvarint(segment.live_bytes());
}

void write_unit(Writer& out, std::uint64_t chunk_number, const InlineChunk& chunk) {
  out.uvarint(chunk_number);
  out.uvarint(chunk.base.value);
  out.uvarint(chunk.live);
  std::uint64_t next = 0;
  std::uint32_t delta = 0;
  for (std::uint64_t i = 0; i < InlineChunk::kObjects; ++i) {
    const InlineObject& object = chunk.objects[i];
    if (object.live_bytes == 0) continue;
    out.uvarint(i - next);
    // Positions do not fall from object to object.
    out.uvarint(object.position_delta - delta);
    out.int64(static_cast<std::int64_t>(object.nonce_tag));
    out.uvarint(object.live_bytes);
    next = i + 1;
    delta = object.position_delta;
  }
}

void write_unit(Writer& out, const Partition& partition) {
  write_ref(out, partition.ref());
  out.uvarint(static_cast<std::uint64_t>(partition.start().value));
  Offset first_base = partition.end();
  partition.spans().visit_from(Offset(0), [&](const Span& span) {
    first_base = span.base;
    return false;
  });
  out.uvarint(static_cast<std::uint64_t>(first_base.value));
  out.varlong(partition.max_timestamp_ms());
  out.uvarint(partition.spans().count());
  Span last;
  last.max_timestamp_ms = 0;
  partition.spans().visit_from(Offset(0), [&](const Span& span) {
    out.uvarint(static_cast<std::uint64_t>(span.records));
    out.uvarint(span.bytes);
    out.varlong(static_cast<std::int64_t>(span.object.value - last.object.value));
    out.uvarint(span.first_byte);
    out.varlong(wrapping_difference(span.max_timestamp_ms, last.max_timestamp_ms));
    out.varlong(std::int64_t{span.epoch.value} - last.epoch.value);
    last = span;
    return true;
  });
}

void write_unit(Writer& out, const Producer& producer) {
  out.uvarint(static_cast<std::uint64_t>(producer.id().value));
  out.uvarint(producer.last_position().value);
  out.uvarint(producer.last_use());
}

void write_unit(Writer& out, const Sequences& sequences) {
  write_ref(out, sequences.at());
  out.uvarint(static_cast<std::uint64_t>(sequences.producer().value));
  const RunMemory& runs = sequences.runs();
  out.uvarint(static_cast<std::uint64_t>(runs.epoch().value));
  out.uvarint(runs.count());
  for (std::size_t i = 0; i < runs.count(); ++i) {
    out.uvarint(static_cast<std::uint64_t>(runs.run(i).base_offset));
    out.uvarint(static_cast<std::uint64_t>(runs.run(i).first_sequence));
    out.uvarint(static_cast<std::uint64_t>(runs.run(i).records));
    out.uvarint(runs.batches(i));
  }
}

}  // namespace weir::state
