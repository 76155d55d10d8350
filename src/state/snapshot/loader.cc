#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "codec/crc32c.h"
#include "state/limits.h"
#include "state/snapshot/format.h"
#include "state/snapshot/group_codec.h"
#include "state/snapshot/snapshot.h"
#include "state/snapshot/unit_codec.h"

namespace weir::state {
namespace {

/// Bytes that a partition takes in its section at least; bounds what a small file can make us
/// allocate.
constexpr std::uint64_t kPartitionBytesMin = 21;

std::unexpected<Error> corrupt(std::string_view what) {
  return fail(ErrorCode::corrupt, "snapshot: " + std::string(what));
}

/// Takes the live bytes of each object apart again, span by span: what an object is said to hold
/// alive must be exactly what spans name in it.
class Accounts {
 public:
  void open(ObjectId id, std::uint64_t live_bytes) {
    if (live_bytes != 0) left_.emplace_back(id, live_bytes);
  }
  /// After the last `open`.
  void sort() { std::sort(left_.begin(), left_.end()); }
  bool take(const Span& span) {
    auto at =
        std::lower_bound(left_.begin(), left_.end(), std::pair(span.object, std::uint64_t{0}));
    if (at == left_.end() || at->first != span.object || at->second < span.bytes) return false;
    at->second -= span.bytes;
    return true;
  }
  bool settled() const {
    return std::all_of(left_.begin(), left_.end(), [](const auto& one) { return one.second == 0; });
  }

 private:
  std::vector<std::pair<ObjectId, std::uint64_t>> left_;
};

class Loader {
 public:
  Loader(const SharedBytes& bytes, SnapshotHeader header)
      : bytes_(bytes), header_(std::move(header)), tables_(state_.tables()) {}

  Result<State> load() {
    WEIR_TRY(check_sections());
    WEIR_TRY(read(SectionKind::meta, &Loader::add_meta));
    WEIR_TRY(read(SectionKind::brokers, &Loader::add_broker));
    WEIR_TRY(read(SectionKind::broker_configs, &Loader::add_broker_configs));
    WEIR_TRY(read(SectionKind::resource_configs, &Loader::add_resource));
    WEIR_TRY(read(SectionKind::topics, &Loader::add_topic));
    WEIR_TRY(read(SectionKind::segments, &Loader::add_segment));
    WEIR_TRY(read(SectionKind::final_segments, &Loader::add_final_segment));
    WEIR_TRY(read(SectionKind::inline_chunks, &Loader::add_chunk));
    accounts_.sort();
    WEIR_TRY(read(SectionKind::partitions, &Loader::add_partition));
    WEIR_TRY(read(SectionKind::compacted, &Loader::add_compacted));
    WEIR_TRY(read(SectionKind::producers, &Loader::add_producer));
    WEIR_TRY(read(SectionKind::sequences, &Loader::add_sequences));
    WEIR_TRY(read(SectionKind::groups, &Loader::add_group));
    WEIR_TRY(read(SectionKind::group_members, &Loader::add_group_member));
    WEIR_TRY(read(SectionKind::group_offsets, &Loader::add_group_offset));
    WEIR_TRY(read(SectionKind::clock, &Loader::add_clock));
    WEIR_TRY(read(SectionKind::digest_votes, &Loader::add_digest_votes));
    if (!tables_.meta.live()) return corrupt("has no single values");
    if (partitions_read_ != tables_.partitions.used()) return corrupt("lacks partitions");
    if (!accounts_.settled()) return corrupt("objects hold more bytes alive than spans name");
    if (!tables_.producers.restore_order()) return corrupt("producers without an order");
    if (tables_.ledger.digest() != header_.info.digest) return corrupt("the digest does not match");
    tables_.digests.push(header_.info.position, header_.info.digest);
    tables_.ledger.set_all_changed();
    return std::move(state_);
  }

 private:
  using Add = bool (Loader::*)(serial::Reader&);

  const SnapshotSection* find(SectionKind kind) const {
    for (const SnapshotSection& section : header_.sections) {
      if (section.kind == static_cast<std::uint16_t>(kind)) return &section;
    }
    return nullptr;
  }

  /// Verifies all checksums, and keeps the sections of kinds that we do not know.
  Result<void> check_sections() {
    std::map<std::uint16_t, bool> seen;
    for (const SnapshotSection& section : header_.sections) {
      SharedBytes content = bytes_.slice(section.offset, section.bytes);
      if (codec::crc32c(content.view()) != section.crc)
        return corrupt("the checksum of section " + std::to_string(section.kind) +
                       " does not match");
      if (section.kind == 0 || !seen.emplace(section.kind, true).second)
        return corrupt("a section stands twice");
      if (!is_known_section(section.kind)) {
        // Written back together with all of ours, they must fit a table again.
        if (tables_.unknown_sections.size() == kSnapshotSectionsMax - kSectionKinds.size())
          return corrupt("too many sections of unknown kinds");
        // A copy: the rest of the snapshot need not stay in memory for it.
        tables_.unknown_sections.push_back(
            {section.kind, section.count, SharedBytes::copy_of(content.view())});
      }
    }
    return {};
  }

  Result<void> read(SectionKind kind, Add add) {
    const SnapshotSection* section = find(kind);
    if (section == nullptr) return {};
    // Texts and lists of groups take more memory than bytes.
    const std::size_t growth = kind >= SectionKind::groups ? 40 : 2;
    serial::Reader in(bytes_.slice(section->offset, section->bytes),
                      section->bytes * growth + 1024);
    for (std::uint64_t i = 0; i < section->count; ++i) {
      bool added = (this->*add)(in) && in.ok();
      if (!in.ok()) return with_context(in.error(), "snapshot");
      if (!added)
        return corrupt("section " + std::to_string(section->kind) + " contradicts itself");
    }
    if (!in.expect_end()) return with_context(in.error(), "snapshot");
    return {};
  }

  bool add_meta(serial::Reader& in) {
    MetaValues values = read_meta(in);
    if (!in.ok() || tables_.meta.live()) return false;
    if (values.level != header_.info.level || values.cluster_id != header_.info.cluster_id)
      return false;
    values.position = header_.info.position;
    values.nonce = header_.info.nonce;
    tables_.edit_meta([&](MetaValues& meta) { meta = std::move(values); });
    return true;
  }

  bool add_broker(serial::Reader& in) {
    BrokerState broker = read_broker(in);
    if (!in.ok() || tables_.brokers.find(broker.info.incarnation) != nullptr) return false;
    if (tables_.brokers.list().size() >= kBrokersMax) return false;
    tables_.brokers.add(tables_.ledger, std::move(broker));
    return true;
  }

  bool add_broker_configs(serial::Reader& in) {
    ReadConfigs read = read_broker_configs(in);
    if (!in.ok() || tables_.brokers.configs(read.node) != nullptr) return false;
    if (tables_.brokers.all_configs().size() >= kBrokerConfigNodesMax) return false;
    tables_.brokers.set_configs(tables_.ledger, read.node, std::move(read.configs), read.version);
    return true;
  }

  bool add_group(serial::Reader& in) {
    ReadGroup read = read_group(in);
    if (!in.ok() || tables_.groups.find(read.values.id) != nullptr) return false;
    if (tables_.groups.count() >= kGroupsMax) return false;
    tables_.groups.restore(tables_.ledger, std::move(read.values), std::move(read.consumer));
    return true;
  }

  bool add_group_member(serial::Reader& in) {
    ReadMember read = read_group_member(in);
    GroupTable& groups = tables_.groups;
    const Slot group = groups.find_slot(read.group);
    if (!in.ok() || group == kNoSlot || groups.group(group).consumer() != nullptr) return false;
    if (groups.find_member(group, read.values.id) != kNoSlot) return false;
    if (read.values.instance && groups.find_instance(group, *read.values.instance) != kNoSlot)
      return false;
    const Slot slot =
        groups.add_member(tables_.ledger, group, std::move(read.values), read.last_sign);
    groups.set_progress(tables_.ledger, slot, read.joined, read.synced);
    return true;
  }

  bool add_group_offset(serial::Reader& in) {
    ReadOffset read = read_group_offset(in);
    const Slot group = tables_.groups.find_slot(read.group);
    const Slot partition = tables_.topics.partition_slot(read.at);
    if (!in.ok() || group == kNoSlot || partition == kNoSlot) return false;
    if (tables_.offsets.find(group, partition) != nullptr) return false;
    tables_.offsets.set(tables_.ledger, group, partition, read.at, std::move(read.values));
    return true;
  }

  bool add_resource(serial::Reader& in) {
    ReadResource read = read_resource(in);
    ResourceTable& resources = tables_.resources;
    if (!in.ok() || resources.all().size() > kConfigResourcesMax) return false;
    // The counter of versions stands first.
    const bool counted = read.key == ResourceKey() || read.version <= resources.last_version();
    return counted &&
           resources.restore(tables_.ledger, read.key, std::move(read.configs), read.version);
  }

  bool add_topic(serial::Reader& in) {
    TopicInfo topic = read_topic(in);
    if (!in.ok() || tables_.topics.find(topic.id) != nullptr ||
        tables_.topics.find_collision(topic.name) != nullptr) {
      return false;
    }
    // Partitions take memory before they are read.
    const SnapshotSection* partitions = find(SectionKind::partitions);
    std::uint64_t total = tables_.partitions.used() + static_cast<std::uint64_t>(topic.partitions);
    if (partitions == nullptr || total > partitions->count || total > kPartitionsMax ||
        total > partitions->bytes / kPartitionBytesMin) {
      return false;
    }
    tables_.topics.add(tables_.ledger, std::move(topic));
    return true;
  }

  bool add_segment(serial::Reader& in) {
    ReadSegment segment = read_segment(in);
    ObjectTable& objects = tables_.objects;
    if (!in.ok() || segment.id.sequence() >= tables_.meta->next_object) return false;
    if (objects.find_segment(segment.name) != kNoSlot ||
        objects.find_segment(segment.id) != kNoSlot)
      return false;
    Slot slot = objects.add_segment(tables_.ledger, segment.id, segment.name, segment.bytes);
    objects.set_segment_live(tables_.ledger, slot, segment.live_bytes);
    accounts_.open(segment.id, segment.live_bytes);
    return true;
  }

  bool add_final_segment(serial::Reader& in) {
    std::uint64_t sequence = in.uvarint("final_segment.sequence");
    if (!in.ok() || sequence >= tables_.meta->next_object) return false;
    Slot slot = tables_.objects.find_segment(ObjectId::make(sequence, true));
    if (slot == kNoSlot || tables_.objects.segment(slot).is_final()) return false;
    tables_.objects.set_segment_final(tables_.ledger, slot);
    return true;
  }

  bool add_compacted(serial::Reader& in) {
    ReadCompacted read = read_compacted(in);
    Slot slot = in.ok() ? tables_.topics.partition_slot(read.ref) : kNoSlot;
    if (slot == kNoSlot) return false;
    Partition& partition = tables_.partitions[slot];
    if (partition.compacted_to().value >= 0 || read.to > partition.end()) return false;
    tables_.ledger.edit(partition,
                        [&](Partition& unit, EditKey key) { unit.set_compacted_to(key, read.to); });
    return true;
  }

  bool add_clock(serial::Reader& in) {
    ClockValues values = read_clock(in);
    if (!in.ok() || tables_.clock.live()) return false;
    tables_.ledger.edit(tables_.clock,
                        [&](LogClock& unit, EditKey key) { unit.change(key) = std::move(values); });
    return true;
  }

  bool add_digest_votes(serial::Reader& in) {
    ReadVotes read = read_digest_votes(in);
    if (!in.ok() || tables_.digest_votes->votes.contains(read.at)) return false;
    tables_.ledger.edit(tables_.digest_votes, [&](DigestVotes& unit, EditKey key) {
      unit.change(key).votes[read.at] = std::move(read.votes);
    });
    return true;
  }

  bool add_chunk(serial::Reader& in) {
    ReadChunk chunk = read_chunk(in);
    if (!in.ok()) return false;
    std::uint64_t number = chunk.objects.front().sequence / InlineChunk::kObjects;
    if (tables_.objects.chunks().contains(number)) return false;
    for (const ReadInline& read : chunk.objects) {
      ObjectId id = ObjectId::make(read.sequence, false);
      if (read.sequence >= tables_.meta->next_object || read.position > header_.info.position)
        return false;
      tables_.objects.restore_inline(tables_.ledger, read.sequence, chunk.base, read.position,
                                     read.object);
      accounts_.open(id, read.object.live_bytes);
    }
    return true;
  }

  bool add_partition(serial::Reader& in) {
    ReadPartition read = read_partition(in);
    if (!in.ok()) return false;
    Slot slot = tables_.topics.partition_slot(read.ref);
    if (slot == kNoSlot) return false;
    if (restored_.size() <= slot) restored_.resize(slot + 1);
    if (restored_[slot]) return false;
    restored_[slot] = true;
    ++partitions_read_;
    for (const Span& span : read.spans) {
      if (!accounts_.take(span)) return false;
    }
    tables_.ledger.edit(tables_.partitions[slot], [&](Partition& partition, EditKey key) {
      partition.restore(key, read.start, read.first_base, read.max_timestamp_ms);
      for (const Span& span : read.spans) partition.append(key, span);
    });
    tables_.span_count += read.spans.size();
    return tables_.partitions[slot].max_timestamp_ms() == read.max_timestamp_ms;
  }

  bool add_producer(serial::Reader& in) {
    ReadProducer read = read_producer(in);
    if (!in.ok() || read.last_use > tables_.meta->producer_uses) return false;
    return tables_.producers.restore_producer(tables_.ledger, read.id, read.last_position,
                                              read.last_use);
  }

  bool add_sequences(serial::Reader& in) {
    ReadSequences read = read_sequences(in);
    if (!in.ok()) return false;
    Slot slot = tables_.topics.partition_slot(read.at);
    return slot != kNoSlot &&
           tables_.producers.restore_sequences(tables_.ledger, slot, read.producer, read.runs);
  }

  const SharedBytes& bytes_;
  SnapshotHeader header_;
  State state_;
  Tables& tables_;
  Accounts accounts_;
  std::vector<bool> restored_;
  std::size_t partitions_read_ = 0;
};

}  // namespace

Result<State> load_snapshot(const SharedBytes& bytes) {
  Result<SnapshotHeader> header = decode_snapshot_header(bytes.view());
  if (!header) return std::unexpected(header.error());
  if (header->info.level.value > kFeatureLevelNewest) {
    return fail(ErrorCode::unsupported, "snapshot of feature level " +
                                            std::to_string(header->info.level.value) +
                                            ", which needs a later program");
  }
  return Loader(bytes, std::move(*header)).load();
}

}  // namespace weir::state
