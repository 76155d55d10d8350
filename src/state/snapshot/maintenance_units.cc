// The units of maintenance in a snapshot: the clock, and votes about digests.
#include <utility>

#include "state/limits.h"
#include "state/snapshot/unit_codec.h"

namespace weir::state {

void write_unit(serial::Writer& out, const ClockValues& clock) {
  out.varlong(clock.now_ms);
  out.varlong(clock.claimed_ms);
  out.varlong(clock.claimed_last_ms);
  out.uvarint(clock.readings.size());
  for (const auto& [who, ms] : clock.readings) {
    out.raw(who.view());
    out.varlong(ms);
  }
  out.uvarint(clock.marks.size());
  for (const ClockMark& mark : clock.marks) {
    out.uvarint(mark.at.value);
    out.varlong(mark.ms);
  }
}

ClockValues read_clock(serial::Reader& in) {
  ClockValues clock;
  clock.now_ms = in.varlong("clock.now_ms");
  clock.claimed_ms = in.varlong("clock.claimed_ms");
  clock.claimed_last_ms = in.varlong("clock.claimed_last_ms");
  std::uint64_t readings = in.uvarint("clock.readings");
  if (in.ok() && (readings > kBrokersMax || readings == 0 || clock.now_ms < 0 ||
                  clock.claimed_ms < 0 || clock.claimed_last_ms < clock.claimed_ms))
    in.fail_value("clock");
  for (std::uint64_t i = 0; i < readings && in.ok(); ++i) {
    auto who = Incarnation::from_bytes(in.uuid("clock.broker").view());
    std::int64_t& reading = clock.readings[who];
    reading = in.varlong("clock.reading");
    if (in.ok() && reading <= 0) in.fail_value("clock.reading");
  }
  std::uint64_t marks = in.uvarint("clock.marks");
  if (in.ok() && marks > kClockMarksMax) in.fail_value("clock.marks");
  for (std::uint64_t i = 0; i < marks && in.ok(); ++i) {
    ClockMark mark;
    mark.at = Position(in.uvarint("clock.mark"));
    mark.ms = in.varlong("clock.mark_ms");
    bool rises = mark.ms > 0 && (clock.marks.empty() || clock.marks.back().at < mark.at);
    if (in.ok() && !rises) in.fail_value("clock.marks");
    clock.marks.push_back(mark);
  }
  return clock;
}

void write_compacted(serial::Writer& out, const Partition& partition) {
  out.uuid(partition.ref().topic);
  out.uvarint(static_cast<std::uint64_t>(partition.ref().partition.value));
  out.uvarint(static_cast<std::uint64_t>(partition.compacted_to().value));
}

ReadCompacted read_compacted(serial::Reader& in) {
  ReadCompacted read;
  read.ref.topic = in.uuid("compacted.topic");
  std::uint64_t partition = in.uvarint("compacted.partition"), to = in.uvarint("compacted.to");
  if (!std::in_range<std::int32_t>(partition) || !std::in_range<std::int64_t>(to)) {
    in.fail_value("compacted");
    return read;
  }
  read.ref.partition = PartitionIndex(static_cast<std::int32_t>(partition));
  read.to = Offset(static_cast<std::int64_t>(to));
  return read;
}

void write_unit(serial::Writer& out, Position at, const std::map<Incarnation, Hash128>& votes) {
  out.uvarint(at.value);
  out.uvarint(votes.size());
  for (const auto& [who, digest] : votes) {
    out.raw(who.view());
    out.int64(static_cast<std::int64_t>(digest.low));
    out.int64(static_cast<std::int64_t>(digest.high));
  }
}

ReadVotes read_digest_votes(serial::Reader& in) {
  ReadVotes read;
  read.at = Position(in.uvarint("votes.position"));
  std::uint64_t count = in.uvarint("votes");
  // Incarnations may be gone by the time; there are never more than a few rounds of them.
  if (in.ok() && (count == 0 || count > kDigestVotesMax)) in.fail_value("votes");
  for (std::uint64_t i = 0; i < count && in.ok(); ++i) {
    auto who = Incarnation::from_bytes(in.uuid("votes.broker").view());
    Hash128& digest = read.votes[who];
    digest.low = static_cast<std::uint64_t>(in.int64("votes.digest"));
    digest.high = static_cast<std::uint64_t>(in.int64("votes.digest"));
  }
  return read;
}

}  // namespace weir::state
