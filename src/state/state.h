// State: the cluster state, computed by folding the commit log. Every broker that folds the same
// entries has the same state and gives the same answers.
//
// Pure: no I/O, clock, randomness, hash-order dependence or floating point. The fold is total: an
// entry that decoded is applied whatever its commands say, and what cannot be done has a refusal as
// its outcome. All changes pass through one choke point (`Ledger::edit`, ledger.h), which feeds the
// digest, a running snapshot and the changed set.
//
// Not thread-safe: one loop owns it. Pointers and references that it returns are valid until the
// next `apply`. Movable; a SnapshotWriter keeps working across a move.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "base/ids.h"
#include "state/catalog.h"
#include "state/entry.h"
#include "state/refusal.h"
#include "state/spans.h"

namespace weir::state {

/// `applied`, `refused`: the counter is consumed. `repeat`: it was consumed before. `ahead`: a gap;
/// ignored, it stays pending with its broker.
enum class CommandStatus : std::uint8_t { applied, repeat, ahead, refused };

/// AppendSpans: per span its base offset (of the original, for a duplicate). CreateTopics,
/// DeleteTopics, CreatePartitions: per topic. AlterConfigs: per resource its config version.
/// RegisterBroker: the node id. AllocateProducerIds: the first id. AdvanceStart: per partition its
/// start. ExpireProducers: per producer.
struct ItemOutcome {
  Refusal refusal = Refusal::none;
  std::int64_t value = 0;

  friend bool operator==(const ItemOutcome&, const ItemOutcome&) = default;
};

struct CommandOutcome {
  Incarnation incarnation;
  CommandCounter counter;
  CommandStatus status = CommandStatus::applied;
  /// Of the command as a whole; items may be refused while the command is applied.
  Refusal refusal = Refusal::none;
  std::vector<ItemOutcome> items;

  friend bool operator==(const CommandOutcome&, const CommandOutcome&) = default;
};

/// One outcome per command, in the order of the entry.
struct Folded {
  std::vector<CommandOutcome> outcomes;
};

/// Where a span's bytes are.
struct ObjectRef {
  bool is_inline = false;
  /// Inline: the entry, and the first 8 bytes of its nonce (another nonce there means absent).
  Position position;
  std::uint64_t nonce_tag = 0;
  /// Segment: its name, and its size.
  Position born;
  Incarnation writer;
  std::uint64_t counter = 0;
  std::uint64_t bytes = 0;
  /// Segment: its batches hold final offsets and leader epochs.
  bool is_final = false;

  friend bool operator==(const ObjectRef&, const ObjectRef&) = default;
};

struct SpanInfo {
  Offset base;
  std::int64_t records = 0;
  ObjectRef object;
  /// Place of the region in the inline section, or in the segment.
  std::uint32_t first_byte = 0;
  std::uint32_t bytes = 0;
  std::int64_t max_timestamp_ms = -1;
  LeaderEpoch epoch;

  friend bool operator==(const SpanInfo&, const SpanInfo&) = default;
};

struct BrokerState {
  BrokerInfo info;
  /// Of its last command.
  CommandCounter last;
  Position registered;
  FeatureLevel level_min;
  FeatureLevel level_max;
};

struct NotedSnapshot {
  Position position;
  Incarnation writer;
  std::uint64_t counter = 0;
  Hash128 digest;
  std::uint64_t bytes = 0;
  /// Entry that holds the note.
  Position noted_at;

  friend bool operator==(const NotedSnapshot&, const NotedSnapshot&) = default;
};

struct ChangedPartitions {
  /// More changed than are listed: look at everything.
  bool all = false;
  std::vector<PartitionRef> partitions;
};

/// Each thing once.
struct ChangedGroups {
  /// More changed than are listed: look at everything.
  bool all = false;
  /// Groups whose head or members changed, came or went; not their offsets.
  std::vector<std::string> groups;
  /// Group and member that gave a sign of life.
  std::vector<std::pair<std::string, std::string>> signs;
};

struct StateCounts {
  std::size_t topics = 0;
  std::size_t partitions = 0;
  std::size_t spans = 0;
  std::size_t inline_objects = 0;
  std::size_t segments = 0;
  std::size_t producers = 0;
  std::size_t producer_partitions = 0;
  std::size_t brokers = 0;
  std::size_t groups = 0;
  std::size_t group_members = 0;
  std::size_t group_offsets = 0;
};

struct Tables;
class GroupTable;
class OffsetTable;

class State final : public Catalog {
 public:
  /// Before genesis: no position.
  State();
  ~State() override;
  State(State&&) noexcept;
  State& operator=(State&&) noexcept;

  /// Folds the next entry. Its position must be the next one; that it names our nonce as its
  /// predecessor, and our cluster, is for the caller to check.
  Folded apply(const EntryView& entry);

  std::optional<Position> position() const;
  Nonce nonce() const;
  FeatureLevel level() const;
  Hash128 digest() const;
  /// Of the last kDigestsKept positions that this object folded itself.
  std::optional<Hash128> digest_at(Position at) const;

  // Catalog
  const std::string& cluster_id() const override;
  const TopicInfo* topic(std::string_view name) const override;
  const TopicInfo* topic(TopicId id) const override;
  std::optional<PartitionInfo> partition(PartitionRef at) const override;
  std::vector<ProducerInfo> producers(PartitionRef at) const override;
  std::size_t topic_count() const override;
  void visit_topics(std::string_view from,
                    const std::function<bool(const TopicInfo&)>& visit) const override;
  const std::vector<BrokerInfo>& brokers() const override;
  LeaderEpoch placement_epoch() const override;
  const ConfigMap& broker_configs(NodeId node) const override;
  std::int32_t broker_config_version(NodeId node) const override;
  const ConfigMap& resource_configs(ResourceType type, std::string_view name) const override;
  std::int32_t resource_config_version(ResourceType type, std::string_view name) const override;
  std::int32_t resources_version() const override;
  void visit_resources(ResourceType type,
                       const std::function<void(const std::string& name, const ConfigMap& configs)>&
                           visit) const override;

  /// Spans in offset order from the one that holds `from` on, until `visit` returns false. Visits
  /// nothing for an unknown partition or an offset beyond the end; an offset below the start begins
  /// with the first span.
  void visit_spans(PartitionRef at, Offset from,
                   const std::function<bool(const SpanInfo&)>& visit) const;
  /// The first span with a max timestamp at or after `timestamp_ms`.
  std::optional<SpanInfo> first_span_with_timestamp(PartitionRef at,
                                                    std::int64_t timestamp_ms) const;
  /// The first of the spans with the greatest max timestamp.
  std::optional<SpanInfo> span_with_max_timestamp(PartitionRef at) const;

  const BrokerState* broker(Incarnation incarnation) const;
  bool is_registered(Incarnation incarnation) const { return broker(incarnation) != nullptr; }
  std::optional<CommandCounter> last_counter(Incarnation incarnation) const;

  /// What the fold would say now about such a run: none (value = base offset it would get),
  /// duplicate (value = original offset), or the refusal.
  ItemOutcome check_run(PartitionRef at, const ProducerRun& run, std::int32_t records) const;

  /// Partitions whose end or start moved, or that appeared or vanished, since the last call.
  ChangedPartitions take_changed_partitions();
  ChangedGroups take_changed_groups();

  /// For reading; groups/group_table.h, groups/offset_table.h.
  const GroupTable& groups() const;
  const OffsetTable& offsets() const;

  /// Bytes that spans reach in inline sections.
  std::uint64_t inline_bytes_live() const;
  /// Lowest position whose inline data a span names: the log may not be truncated at or past it.
  std::optional<Position> oldest_inline() const;
  /// Position of the last entry that made the fold forget an incarnation; 0 if none did.
  Position last_forget() const;
  /// Segments born before it are refused.
  Position horizon() const;
  /// The newest snapshots that commands named, oldest first; at most kNotedSnapshotsKept.
  const std::vector<NotedSnapshot>& noted_snapshots() const;
  /// Next producer id to be given out.
  ProducerId next_producer_id() const;
  /// Segments that no span names any more, until `visit` returns false.
  void visit_awaiting_deletion(const std::function<bool(const ObjectRef&)>& visit) const;
  /// Bytes that spans reach in this segment; nothing if the state does not know it.
  std::optional<std::uint64_t> segment_live_bytes(Position born, Incarnation writer,
                                                  std::uint64_t counter) const;
  /// Segments in no order, until `visit` returns false; with their live bytes.
  void visit_segments(
      const std::function<bool(const ObjectRef&, std::uint64_t live_bytes)>& visit) const;
  /// Sum of the hashes of the spans from `base` to `end`: the guard of ReplaceSpans. Nothing if
  /// these are not bounds of spans.
  std::optional<Hash128> spans_digest(PartitionRef at, Offset base, Offset end) const;

  /// What the state remembers of each producer in the partition: its epoch, and the offset behind
  /// its last record. In no order.
  void visit_producers(
      PartitionRef at,
      const std::function<void(ProducerId, ProducerEpoch, Offset end)>& visit) const;

  /// The time of the cluster (log_clock.h); 0 before a broker told it.
  std::int64_t clock_ms() const;
  /// The entry at `at` was folded at this time of the cluster or earlier; nothing if it is too new
  /// to tell.
  std::optional<std::int64_t> folded_by_ms(Position at) const;
  /// Position and time of the newest mark of the clock; 0 and 0 if there is none.
  std::pair<Position, std::int64_t> last_clock_mark() const;
  /// What brokers computed at the position of a noted snapshot, as far as they said so.
  std::vector<std::pair<Incarnation, Hash128>> digest_votes(Position snapshot) const;
  StateCounts counts() const;

  /// For this layer's snapshot code and tests.
  Tables& tables() { return *tables_; }
  const Tables& tables() const { return *tables_; }

 private:
  std::unique_ptr<Tables> tables_;
};

}  // namespace weir::state
