#include "state/state.h"

#include <algorithm>

#include "state/tables.h"

namespace weir::state {
namespace {

SpanInfo info_of(const Tables& tables, const Span& span) {
  SpanInfo info;
  info.base = span.base;
  info.records = span.records;
  info.object = tables.objects.describe(span.object);
  info.first_byte = span.first_byte;
  info.bytes = span.bytes;
  info.max_timestamp_ms = span.max_timestamp_ms;
  info.epoch = span.epoch;
  return info;
}

const Partition* find_partition(const Tables& tables, const PartitionRef& at) {
  Slot slot = tables.topics.partition_slot(at);
  return slot == kNoSlot ? nullptr : &tables.partitions[slot];
}

/// What the partition remembers of each producer, in no order.
template <class Visit>
void visit_sequences(const Tables& tables, const Partition& partition, Visit&& visit) {
  for (Slot slot = partition.first_producer; slot != kNoSlot;) {
    const Sequences& sequences = tables.producers.sequences()[slot];
    if (!sequences.runs().empty()) visit(sequences);
    slot = sequences.in_partition.next;
  }
}

Offset end_of(const RunMemory& runs) {
  const RememberedRun& last = runs.run(runs.count() - 1);
  return Offset(last.base_offset + last.records);
}

/// Of the span that holds the record before `end`; -1 if it is gone.
std::int64_t timestamp_before(const Partition& partition, Offset end) {
  const Offset last(end.value - 1);
  std::int64_t found = -1;
  partition.spans().visit_from(last, [&](const Span& span) {
    if (span.base <= last) found = span.max_timestamp_ms;
    return false;
  });
  return found;
}

}  // namespace

State::State() : tables_(std::make_unique<Tables>()) {}
State::~State() = default;
State::State(State&&) noexcept = default;
State& State::operator=(State&&) noexcept = default;

std::optional<Position> State::position() const { return tables_->meta->position; }
Nonce State::nonce() const { return tables_->meta->nonce; }
FeatureLevel State::level() const { return tables_->meta->level; }
Hash128 State::digest() const { return tables_->ledger.digest(); }
std::optional<Hash128> State::digest_at(Position at) const { return tables_->digests.find(at); }

const std::string& State::cluster_id() const { return tables_->meta->cluster_id; }

const TopicInfo* State::topic(std::string_view name) const {
  const Topic* topic = tables_->topics.find(name);
  return topic == nullptr ? nullptr : &topic->info();
}

const TopicInfo* State::topic(TopicId id) const {
  const Topic* topic = tables_->topics.find(id);
  return topic == nullptr ? nullptr : &topic->info();
}

std::optional<PartitionInfo> State::partition(PartitionRef at) const {
  const Partition* partition = find_partition(*tables_, at);
  if (partition == nullptr) return std::nullopt;
  PartitionInfo info;
  info.start = partition->start();
  info.end = partition->end();
  info.last_stable = partition->end();
  info.bytes = partition->bytes();
  info.max_timestamp_ms = partition->max_timestamp_ms();
  info.compacted_to = partition->compacted_to();
  return info;
}

std::size_t State::topic_count() const { return tables_->topics.count(); }

void State::visit_topics(std::string_view from,
                         const std::function<bool(const TopicInfo&)>& visit) const {
  tables_->topics.visit(from, visit);
}

const std::vector<BrokerInfo>& State::brokers() const { return tables_->brokers.list(); }
LeaderEpoch State::placement_epoch() const { return tables_->meta->placement_epoch; }

const ConfigMap& State::broker_configs(NodeId node) const {
  static const ConfigMap kNone;
  const BrokerConfigs* configs = tables_->brokers.configs(node);
  return configs == nullptr ? kNone : configs->configs();
}

std::int32_t State::broker_config_version(NodeId node) const {
  const BrokerConfigs* configs = tables_->brokers.configs(node);
  return configs == nullptr ? 0 : configs->version();
}

const ConfigMap& State::resource_configs(ResourceType type, std::string_view name) const {
  static const ConfigMap kNone;
  const ResourceConfigs* configs = tables_->resources.find({type, std::string(name)});
  return configs == nullptr ? kNone : configs->configs();
}

std::int32_t State::resource_config_version(ResourceType type, std::string_view name) const {
  const ResourceConfigs* configs = tables_->resources.find({type, std::string(name)});
  return configs == nullptr ? 0 : configs->version();
}

std::int32_t State::resources_version() const { return tables_->resources.last_version(); }

void State::visit_resources(
    ResourceType type,
    const std::function<void(const std::string& name, const ConfigMap& configs)>& visit) const {
  const auto& all = tables_->resources.all();
  for (auto at = all.lower_bound({type, ""}); at != all.end() && at->first.type == type; ++at)
    visit(at->first.name, at->second.configs());
}

void State::visit_spans(PartitionRef at, Offset from,
                        const std::function<bool(const SpanInfo&)>& visit) const {
  const Partition* partition = find_partition(*tables_, at);
  if (partition == nullptr) return;
  partition->spans().visit_from(from,
                                [&](const Span& span) { return visit(info_of(*tables_, span)); });
}

std::optional<SpanInfo> State::first_span_with_timestamp(PartitionRef at,
                                                         std::int64_t timestamp_ms) const {
  const Partition* partition = find_partition(*tables_, at);
  if (partition == nullptr) return std::nullopt;
  std::optional<SpanInfo> found;
  partition->spans().visit_with_timestamp(timestamp_ms, [&](const Span& span) {
    found = info_of(*tables_, span);
    return false;
  });
  return found;
}

std::optional<SpanInfo> State::span_with_max_timestamp(PartitionRef at) const {
  const Partition* partition = find_partition(*tables_, at);
  if (partition == nullptr || partition->spans().empty()) return std::nullopt;
  return first_span_with_timestamp(at, partition->spans().max_timestamp_ms());
}

const BrokerState* State::broker(Incarnation incarnation) const {
  return tables_->brokers.find(incarnation);
}

std::optional<CommandCounter> State::last_counter(Incarnation incarnation) const {
  const BrokerState* broker = tables_->brokers.find(incarnation);
  if (broker == nullptr) return std::nullopt;
  return broker->last;
}

ItemOutcome State::check_run(PartitionRef at, const ProducerRun& run, std::int32_t records) const {
  Slot slot = tables_->topics.partition_slot(at);
  if (slot == kNoSlot) {
    bool topic = tables_->topics.find(at.topic) != nullptr;
    return {topic ? Refusal::unknown_partition : Refusal::unknown_topic, 0};
  }
  return tables_->producers.judge(slot, run, records, tables_->partitions[slot].end());
}

ChangedPartitions State::take_changed_partitions() { return tables_->ledger.take_changed(); }
ChangedGroups State::take_changed_groups() { return tables_->ledger.take_changed_groups(); }
const GroupTable& State::groups() const { return tables_->groups; }
const OffsetTable& State::offsets() const { return tables_->offsets; }

std::uint64_t State::inline_bytes_live() const { return tables_->objects.inline_bytes_live(); }
std::optional<Position> State::oldest_inline() const { return tables_->objects.oldest_inline(); }
Position State::last_forget() const { return tables_->meta->last_forget; }
Position State::horizon() const { return tables_->meta->horizon; }

const std::vector<NotedSnapshot>& State::noted_snapshots() const {
  return tables_->meta->noted_snapshots;
}

ProducerId State::next_producer_id() const { return ProducerId(tables_->meta->next_producer_id); }

void State::visit_awaiting_deletion(const std::function<bool(const ObjectRef&)>& visit) const {
  for (std::uint64_t sequence : tables_->objects.awaiting_deletion()) {
    if (!visit(tables_->objects.describe(ObjectId::make(sequence, true)))) return;
  }
}

std::optional<std::uint64_t> State::segment_live_bytes(Position born, Incarnation writer,
                                                       std::uint64_t counter) const {
  Slot slot = tables_->objects.find_segment(SegmentName{born, writer, counter});
  if (slot == kNoSlot) return std::nullopt;
  return tables_->objects.segment(slot).live_bytes();
}

void State::visit_segments(
    const std::function<bool(const ObjectRef&, std::uint64_t live_bytes)>& visit) const {
  Slab<Segment>& segments = tables_->objects.segments();
  for (Slot slot = 0; slot < segments.end(); ++slot) {
    const Segment& segment = segments[slot];
    if (!segment.live()) continue;
    if (!visit(tables_->objects.describe(segment.id()), segment.live_bytes())) return;
  }
}

std::optional<Hash128> State::spans_digest(PartitionRef at, Offset base, Offset end) const {
  const Partition* partition = find_partition(*tables_, at);
  if (partition == nullptr) return std::nullopt;
  return partition->spans().digest_of(base, end);
}

void State::visit_producers(
    PartitionRef at,
    const std::function<void(ProducerId, ProducerEpoch, Offset end)>& visit) const {
  const Partition* partition = find_partition(*tables_, at);
  if (partition == nullptr) return;
  visit_sequences(*tables_, *partition, [&](const Sequences& sequences) {
    visit(sequences.producer(), sequences.runs().epoch(), end_of(sequences.runs()));
  });
}

std::vector<ProducerInfo> State::producers(PartitionRef at) const {
  std::vector<ProducerInfo> out;
  const Partition* partition = find_partition(*tables_, at);
  if (partition == nullptr) return out;
  visit_sequences(*tables_, *partition, [&](const Sequences& sequences) {
    const RunMemory& runs = sequences.runs();
    ProducerInfo& info = out.emplace_back();
    info.id = sequences.producer();
    info.epoch = runs.epoch();
    info.last_sequence = runs.last_sequence();
    info.end = end_of(runs);
    info.last_timestamp_ms = timestamp_before(*partition, info.end);
  });
  std::ranges::sort(out, {}, &ProducerInfo::id);
  return out;
}

std::int64_t State::clock_ms() const { return tables_->clock->now_ms; }
std::optional<std::int64_t> State::folded_by_ms(Position at) const {
  return tables_->clock.folded_by_ms(at);
}
std::pair<Position, std::int64_t> State::last_clock_mark() const {
  const std::vector<ClockMark>& marks = tables_->clock->marks;
  if (marks.empty()) return {Position(0), 0};
  return {marks.back().at, marks.back().ms};
}
std::vector<std::pair<Incarnation, Hash128>> State::digest_votes(Position snapshot) const {
  std::vector<std::pair<Incarnation, Hash128>> votes;
  auto found = tables_->digest_votes->votes.find(snapshot);
  if (found == tables_->digest_votes->votes.end()) return votes;
  votes.assign(found->second.begin(), found->second.end());
  return votes;
}

StateCounts State::counts() const {
  StateCounts counts;
  counts.topics = tables_->topics.count();
  counts.partitions = tables_->partitions.used();
  counts.spans = tables_->span_count;
  counts.inline_objects = tables_->objects.inline_count();
  counts.segments = tables_->objects.segment_count();
  counts.producers = tables_->producers.producer_count();
  counts.producer_partitions = tables_->producers.sequences_count();
  counts.brokers = tables_->brokers.list().size();
  counts.groups = tables_->groups.count();
  counts.group_members = tables_->groups.member_count();
  counts.group_offsets = tables_->offsets.count();
  return counts;
}

}  // namespace weir::state
