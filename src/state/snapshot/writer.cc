#include <algorithm>
#include <map>

#include "base/ensure.h"
#include "codec/crc32c.h"
#include "state/snapshot/format.h"
#include "state/snapshot/group_codec.h"
#include "state/snapshot/snapshot.h"
#include "state/snapshot/unit_codec.h"

namespace weir::state {

/// Each unit is written once: when the scan comes to it, or right before its first change. The mark
/// of a unit says that one of both has happened. A unit that is not live at its first change came
/// into being after the snapshot began, and is marked without being written.
class SnapshotWriter::Impl final : public SnapshotSink {
 public:
  explicit Impl(State& state) : tables_(state.tables()) {
    ENSURE(state.position().has_value());
    info_.cluster_id = state.cluster_id();
    info_.position = *state.position();
    info_.nonce = state.nonce();
    info_.digest = state.digest();
    info_.level = state.level();
    topics_.end = tables_.topics.topics().end();
    segments_.end = tables_.objects.segments().end();
    partitions_.end = tables_.partitions.end();
    producers_.end = tables_.producers.producers().end();
    sequences_.end = tables_.producers.sequences().end();
    groups_.end = tables_.groups.groups().end();
    members_.end = tables_.groups.members().end();
    offsets_.end = tables_.offsets.offsets().end();
    tables_.ledger.set_sink(this);
    ++tables_.ledger.snapshot;
    write_small_units();
  }
  ~Impl() override { tables_.ledger.set_sink(nullptr); }

  const SnapshotInfo& info() const { return info_; }

  bool step(std::size_t units) {
    budget_ = units;
    return scan(topics_, tables_.topics.topics()) && scan(segments_, tables_.objects.segments()) &&
           scan_chunks() && scan(partitions_, tables_.partitions) &&
           scan(producers_, tables_.producers.producers()) &&
           scan(sequences_, tables_.producers.sequences()) &&
           scan(groups_, tables_.groups.groups()) && scan(members_, tables_.groups.members()) &&
           scan(offsets_, tables_.offsets.offsets());
  }

  BytesChain finish() {
    SnapshotHeader header;
    header.info = info_;
    BytesChain body;
    for (SectionKind section_kind : kSectionKinds) {
      auto kind = static_cast<std::uint16_t>(section_kind);
      Section& section = sections_[section_kind];
      if (section.count == 0 && !always_written(section_kind)) continue;
      Result<BytesChain> bytes = section.out.finish();
      ENSURE(bytes.has_value());  // all that we hold is within the limits of its encoding
      header.sections.push_back({kind, section.count, bytes->size(), codec::crc32c(*bytes), 0});
      body.append(*bytes);
    }
    for (const UnknownSection& kept : tables_.unknown_sections) {
      header.sections.push_back(
          {kept.kind, kept.count, kept.bytes.size(), codec::crc32c(kept.bytes.view()), 0});
      body.append(kept.bytes);
    }
    BytesChain snapshot(encode_snapshot_header(header));
    snapshot.append(body);
    return snapshot;
  }

  void before_change(Topic& unit) override { see(unit); }
  void before_change(Partition& unit) override { see(unit); }
  void before_change(Producer& unit) override { see(unit); }
  void before_change(Sequences& unit) override { see(unit); }
  void before_change(Segment& unit) override { see(unit); }
  void before_change(Group& unit) override { see(unit); }
  void before_change(GroupMember& unit) override { see(unit); }
  void before_change(GroupOffset& unit) override { see(unit); }
  void before_change(InlineUnit& unit) override {
    see_chunk(unit.first_sequence() / InlineChunk::kObjects, unit.chunk());
  }

 private:
  struct Section {
    serial::Writer out;
    std::uint64_t count = 0;
  };

  Section& section(SectionKind kind) { return sections_[kind]; }
  serial::Writer& next_unit(SectionKind kind) {
    ++section(kind).count;
    return section(kind).out;
  }

  void write_small_units() {
    write_unit(next_unit(SectionKind::meta), tables_.meta.values());
    for (const auto& [incarnation, broker] : tables_.brokers.all())
      write_unit(next_unit(SectionKind::brokers), broker.state());
    for (const auto& [node, configs] : tables_.brokers.all_configs())
      write_unit(next_unit(SectionKind::broker_configs), node, configs);
    if (tables_.clock.live()) write_unit(next_unit(SectionKind::clock), tables_.clock.values());
    for (const auto& [at, votes] : tables_.digest_votes->votes)
      write_unit(next_unit(SectionKind::digest_votes), at, votes);
    for (const auto& [key, configs] : tables_.resources.all())
      write_unit(next_unit(SectionKind::resource_configs), key, configs);
  }

  void write(const Topic& unit) { write_unit(next_unit(SectionKind::topics), unit.info()); }
  void write(const Partition& unit) {
    write_unit(next_unit(SectionKind::partitions), unit);
    if (unit.compacted_to().value >= 0) write_compacted(next_unit(SectionKind::compacted), unit);
    spend(unit.spans().count() / 16);
  }
  void write(const Producer& unit) { write_unit(next_unit(SectionKind::producers), unit); }
  void write(const Sequences& unit) { write_unit(next_unit(SectionKind::sequences), unit); }
  void write(const Group& unit) {
    write_unit(next_unit(SectionKind::groups), unit);
    if (unit.consumer() != nullptr) spend(unit.consumer()->members().size());
  }
  void write(const GroupMember& unit) {
    write_unit(next_unit(SectionKind::group_members), tables_.groups.group(unit.group)->id, unit);
  }
  void write(const GroupOffset& unit) {
    write_unit(next_unit(SectionKind::group_offsets), tables_.groups.group(unit.group)->id, unit);
  }
  void write(const Segment& unit) {
    write_unit(next_unit(SectionKind::segments), unit);
    if (unit.is_final()) next_unit(SectionKind::final_segments).uvarint(unit.id().sequence());
  }

  template <class Unit>
  void see(Unit& unit) {
    if (std::exchange(unit.mark.seen, tables_.ledger.snapshot) == tables_.ledger.snapshot) return;
    if (unit.live()) write(unit);
  }
  void see_chunk(std::uint64_t number, InlineChunk& chunk) {
    std::uint32_t current = tables_.ledger.snapshot;
    if (std::exchange(chunk.mark.seen, current) == current) return;
    if (chunk.live == 0) return;
    write_unit(next_unit(SectionKind::inline_chunks), number, chunk);
    spend(chunk.live / 4);
  }

  void spend(std::size_t units) { budget_ -= std::min(budget_, units); }

  /// The slots that existed when the snapshot began; whatever is in later ones is younger.
  struct Scan {
    Slot next = 0;
    Slot end = 0;
  };

  /// Goes on with the units of a slab. True: to its end.
  template <class Unit>
  bool scan(Scan& at, Slab<Unit>& units) {
    for (; at.next < at.end; ++at.next) {
      if (budget_ == 0) return false;
      spend(1);
      see(units[at.next]);
    }
    return true;
  }
  bool scan_chunks() {
    const auto& chunks = tables_.objects.chunks();
    for (auto at = chunks.lower_bound(chunks_next_); at != chunks.end(); ++at) {
      if (budget_ == 0) return false;
      spend(1);
      see_chunk(at->first, *at->second);
      chunks_next_ = at->first + 1;
    }
    return true;
  }

  Tables& tables_;
  SnapshotInfo info_;
  std::map<SectionKind, Section> sections_;
  std::size_t budget_ = 0;
  Scan topics_;
  Scan segments_;
  std::uint64_t chunks_next_ = 0;
  Scan partitions_;
  Scan producers_;
  Scan sequences_;
  Scan groups_;
  Scan members_;
  Scan offsets_;
};

SnapshotWriter::SnapshotWriter(State& state) : impl_(std::make_unique<Impl>(state)) {}
SnapshotWriter::~SnapshotWriter() = default;
Position SnapshotWriter::position() const { return impl_->info().position; }
Hash128 SnapshotWriter::digest() const { return impl_->info().digest; }
bool SnapshotWriter::step(std::size_t units) { return impl_->step(units); }
BytesChain SnapshotWriter::finish() { return impl_->finish(); }

}  // namespace weir::state
