// How each unit of the state is written in its section of a snapshot, and read again.
//
// Private to snapshot/. Readers check what the rest of this layer relies on (`ENSURE` must not
// depend on a file); a reader that refuses marks its serial::Reader as failed.
#pragma once

#include <cstdint>
#include <vector>

#include "serial/reader.h"
#include "serial/writer.h"
#include "state/tables.h"

namespace weir::state {

void write_unit(serial::Writer& out, const MetaValues& meta);
void write_unit(serial::Writer& out, const BrokerState& broker);
void write_unit(serial::Writer& out, NodeId node, const BrokerConfigs& configs);
void write_unit(serial::Writer& out, const ResourceKey& key, const ResourceConfigs& configs);
void write_unit(serial::Writer& out, const TopicInfo& topic);
void write_unit(serial::Writer& out, const Segment& segment);
void write_unit(serial::Writer& out, std::uint64_t chunk_number, const InlineChunk& chunk);
void write_unit(serial::Writer& out, const Partition& partition);
void write_unit(serial::Writer& out, const Producer& producer);
void write_unit(serial::Writer& out, const Sequences& sequences);
void write_unit(serial::Writer& out, const ClockValues& clock);
void write_unit(serial::Writer& out, Position at, const std::map<Incarnation, Hash128>& votes);

/// All but position and nonce, which stand in the header.
MetaValues read_meta(serial::Reader& in);
BrokerState read_broker(serial::Reader& in);

struct ReadConfigs {
  NodeId node;
  ConfigMap configs;
  std::int32_t version = 0;
};
ReadConfigs read_broker_configs(serial::Reader& in);

struct ReadResource {
  ResourceKey key;
  ConfigMap configs;
  std::int32_t version = 0;
};
ReadResource read_resource(serial::Reader& in);
TopicInfo read_topic(serial::Reader& in);

struct ReadSegment {
  ObjectId id;
  SegmentName name;
  std::uint64_t bytes = 0;
  std::uint64_t live_bytes = 0;
};
ReadSegment read_segment(serial::Reader& in);

struct ReadInline {
  std::uint64_t sequence = 0;
  Position position;
  InlineObject object;
};
struct ReadChunk {
  Position base;
  std::vector<ReadInline> objects;
};
ReadChunk read_chunk(serial::Reader& in);

struct ReadPartition {
  PartitionRef ref;
  Offset start;
  Offset first_base;
  std::int64_t max_timestamp_ms = -1;
  std::vector<Span> spans;
};
ReadPartition read_partition(serial::Reader& in);

struct ReadProducer {
  ProducerId id;
  Position last_position;
  std::uint64_t last_use = 0;
};
ReadProducer read_producer(serial::Reader& in);

struct ReadSequences {
  PartitionRef at;
  ProducerId producer;
  RunMemory runs;
};
ReadSequences read_sequences(serial::Reader& in);

ClockValues read_clock(serial::Reader& in);

/// How far a partition is compacted.
void write_compacted(serial::Writer& out, const Partition& partition);
struct ReadCompacted {
  PartitionRef ref;
  Offset to;
};
ReadCompacted read_compacted(serial::Reader& in);

struct ReadVotes {
  Position at;
  std::map<Incarnation, Hash128> votes;
};
ReadVotes read_digest_votes(serial::Reader& in);

}  // namespace weir::state
