#include "tests/sim/checker.h"

#include <algorithm>
#include <cstdlib>

#include "tests/sim/limits.h"

namespace weir::sim {

namespace {
/// A clock that runs wrong gets so much further ahead from one look at it to the next, at most.
constexpr std::int64_t kLookMs = 1'000;
}  // namespace

std::string_view to_string(Violation kind) {
  switch (kind) {
    case Violation::lost: return "lost";
    case Violation::duplicate: return "duplicate";
    case Violation::reordered: return "reordered";
    case Violation::altered: return "altered";
    case Violation::two_values: return "two_values";
    case Violation::hole: return "hole";
    case Violation::skipping_poll: return "skipping_poll";
    case Violation::withdrawn: return "withdrawn";
    case Violation::stale_refusal: return "stale_refusal";
    case Violation::stale_end: return "stale_end";
    case Violation::wrong_refusal: return "wrong_refusal";
    case Violation::corrupt: return "corrupt";
    case Violation::digest: return "digest";
    case Violation::halted: return "halted";
    case Violation::missing: return "missing";
    case Violation::leaked: return "leaked";
    case Violation::kept: return "kept";
    case Violation::stuck: return "stuck";
    case Violation::resurrected: return "resurrected";
    case Violation::tombstone_gone: return "tombstone gone";
    case Violation::uncompacted: return "uncompacted";
    case Violation::two_owners: return "two owners";
    case Violation::offset_back: return "offset back";
    case Violation::skipped_work: return "skipped work";
    case Violation::fenced_commit: return "fenced commit";
    case Violation::committed_twice: return "committed twice";
    case Violation::expired_alive: return "expired alive";
    case Violation::torn_output: return "torn output";
  }
  return "?";
}

void Checker::report(Violation kind, std::string text) {
  auto same = std::count_if(findings_.begin(), findings_.end(),
                            [kind](const Finding& finding) { return finding.kind == kind; });
  if (same < kFindingsPerKindMax) findings_.push_back({kind, std::move(text)});
}

std::string Checker::name_of(PartitionRef at) const {
  return at.topic.hex().substr(0, 8) + "-" + std::to_string(at.partition.value);
}

std::string Checker::name_of(Cell cell) const {
  return cell.stream == kNobody
             ? "nothing"
             : "record " + std::to_string(cell.stream) + "/" + std::to_string(cell.number);
}

StreamId Checker::add_stream(PartitionRef at, bool idempotent) {
  streams_.push_back({at, idempotent, {}});
  logs_.try_emplace(at);
  return static_cast<StreamId>(streams_.size() - 1);
}

void Checker::sent(StreamId stream, const Seen& record, std::int64_t timestamp_ms) {
  KeyedRecord keyed{record.key_hash, record.tombstone, records_sent_, timestamp_ms};
  ++records_sent_;
  streams_[stream].records.push_back({record.hash, keyed, false});
}

Checker::Log& Checker::log_of(PartitionRef at) {
  Log& log = logs_[at];
  auto compacted = compacted_.find(at.topic);
  if (compacted != compacted_.end()) log.compacted.may_drop(compacted->second);
  return log;
}

void Checker::compaction_asked(TopicId topic, std::int64_t delete_retention_ms) {
  auto [it, fresh] = compacted_.try_emplace(topic, delete_retention_ms);
  it->second = std::min(it->second, delete_retention_ms);
}

void Checker::acknowledged(const Run& run, Offset base) {
  records_acknowledged_ += run.count;
  Stream& stream = streams_[run.stream];
  for (std::uint32_t i = 0; i < run.count; ++i) stream.records[run.first + i].acknowledged = true;
  if (base.value < 0) return;
  Log& log = logs_[stream.at];
  for (std::uint32_t i = 0; i < run.count; ++i)
    place(log, stream.at, Offset(base.value + i), {run.stream, run.first + i, false}, "an answer");
  log.committed_end = std::max(log.committed_end, Offset(base.value + run.count));
}

void Checker::refused_next(const Run& run, std::string_view why) {
  report(Violation::wrong_refusal,
         "batch of " + name_of(Cell{run.stream, run.first, false}) + " in " +
             name_of(streams_[run.stream].at) +
             " was next in its sequence and refused: " + std::string(why));
}

void Checker::place(Log& log, PartitionRef at, Offset offset, Cell cell, std::string_view who) {
  auto index = static_cast<std::size_t>(offset.value);
  if (log.cells.size() <= index) log.cells.resize(index + 1);
  Cell& there = log.cells[index];
  cell.read = cell.read || there.read;
  if (there.stream == kNobody) {
    there = cell;
  } else if (there.stream == cell.stream && there.number == cell.number) {
    there.read = cell.read;
  } else {
    report(Violation::two_values, std::string(who) + ": offset " + std::to_string(offset.value) +
                                      " of " + name_of(at) + " holds " + name_of(cell) +
                                      ", before it held " + name_of(there));
  }
}

void Checker::polled(const Poll& poll) {
  Log& log = log_of(poll.at);
  bool dense = !log.compacted.drops();
  std::optional<Offset> previous;
  std::string where = poll.reader + " at " + name_of(poll.at);
  for (const Seen& seen : poll.records) {
    bool rises = seen.offset.value >= 0 && (!previous || seen.offset > *previous);
    if (!rises || (dense && previous && seen.offset != previous->next())) {
      report(Violation::skipping_poll,
             where + ": offset " + std::to_string(seen.offset.value) + " follows " +
                 (previous ? std::to_string(previous->value) : std::string("nothing")));
      return;
    }
    if (dense && !previous && seen.offset > poll.asked)
      report(Violation::skipping_poll, where + ": asked for " + std::to_string(poll.asked.value) +
                                           ", got " + std::to_string(seen.offset.value));
    previous = seen.offset;
    ++records_read_;
    bool known = seen.stream < streams_.size() &&
                 seen.number < streams_[seen.stream].records.size() &&
                 streams_[seen.stream].at == poll.at;
    if (!known || streams_[seen.stream].records[seen.number].hash != seen.hash) {
      report(Violation::altered,
             where + ": offset " + std::to_string(seen.offset.value) + " holds " +
                 name_of(Cell{seen.stream, seen.number, false}) +
                 (known ? ", with other bytes than were sent" : ", which nobody sent there"));
      continue;
    }
    place(log, poll.at, seen.offset, {seen.stream, seen.number, true}, where);
    log.committed_end = std::max(log.committed_end, seen.offset.next());
  }
  Offset next = poll.next.value >= 0 ? poll.next : previous ? previous->next() : poll.asked;
  if (!poll.records.empty() && next <= poll.asked)
    report(Violation::skipping_poll, where + ": asked for " + std::to_string(poll.asked.value) +
                                         ", the answer ends before it");
  if (dense && previous && next != previous->next())
    report(Violation::skipping_poll, where + ": behind the last record, " +
                                         std::to_string(previous->value) + ", follows " +
                                         std::to_string(next.value));
  if (!dense) take_poll(log, poll);
}

/// What a reader of a compacted partition did not find.
void Checker::take_poll(Log& log, const Poll& poll) {
  Offset from = poll.asked;
  for (const Seen& seen : poll.records) {
    log.compacted.missing(from, seen.offset, records_sent_, poll.now_ms);
    from = std::max(from, seen.offset.next());
    if (poll.final) log.compacted.present(seen.offset);
  }
  log.compacted.missing(from, poll.next, records_sent_, poll.now_ms);
  log.committed_end = std::max(log.committed_end, poll.next);
}

Checker::Known Checker::known(PartitionRef at) const {
  auto found = logs_.find(at);
  if (found == logs_.end()) return {Offset(0), Offset(0)};
  return {found->second.start_max, found->second.committed_end};
}

void Checker::clock_seen(std::int64_t ahead_ms) {
  if (std::abs(ahead_ms) > kClockWrongMs) return;
  clock_least_ms_ = std::min(clock_least_ms_, ahead_ms);
  clock_most_ms_ = std::max(clock_most_ms_, ahead_ms);
}

void Checker::start_seen(PartitionRef at, Offset start, std::uint64_t bytes_left,
                         std::int64_t now_ms) {
  Log& log = logs_[at];
  auto rule = retention_.find(at.topic);
  if (start <= log.start_max || rule == retention_.end()) return;
  const Retention& retention = rule->second;
  // What is left may have been compacted since.
  if (retention.bytes >= 0 && !compacted_.contains(at.topic) &&
      bytes_left < static_cast<std::uint64_t>(retention.bytes))
    report(Violation::lost,
           name_of(at) + " has only " + std::to_string(bytes_left) + " bytes left after retention");
  for (auto i = static_cast<std::size_t>(log.start_max.value);
       retention.ms >= 0 && i < static_cast<std::size_t>(start.value) && i < log.cells.size();
       ++i) {
    Cell cell = log.cells[i];
    if (cell.stream == kNobody) continue;
    std::int64_t age = now_ms - streams_[cell.stream].records[cell.number].keyed.timestamp_ms;
    if (age + clock_most_ms_ + kLookMs >= retention.ms) continue;
    if (compacted_.contains(at.topic))
      log.compacted.cut(Offset(static_cast<std::int64_t>(i)), records_sent_, now_ms);
    else
      report(Violation::lost, name_of(at) + " lost offset " + std::to_string(i) +
                                  " at the age of " + std::to_string(age) + " ms");
  }
  log.start_max = start;
}

void Checker::refused_range(PartitionRef at, Offset asked, Known before, std::string_view who) {
  if (look_) look_();
  // What was asked to be deleted meanwhile may be gone by now.
  if (asked < known(at).start_max || asked > before.end_min || !topic_exists(at.topic)) return;
  report(Violation::stale_refusal, std::string(who) + ": offset " + std::to_string(asked.value) +
                                       " of " + name_of(at) +
                                       " is said to be out of range; committed up to " +
                                       std::to_string(before.end_min.value));
}

void Checker::refused_topic(PartitionRef at, std::string_view who) {
  if (topic_exists(at.topic))
    report(Violation::stale_refusal,
           std::string(who) + ": " + name_of(at) + " is said to be unknown");
}

void Checker::answered_end(PartitionRef at, Offset end, Known before, std::string_view who) {
  if (end < before.end_min)
    report(Violation::stale_end, std::string(who) + ": " + name_of(at) + " ends at " +
                                     std::to_string(end.value) + ", committed up to " +
                                     std::to_string(before.end_min.value));
}

bool Checker::topic_exists(TopicId topic) const {
  auto found = topics_.find(topic);
  return found != topics_.end() && found->second;
}

void Checker::deletion_asked(PartitionRef at, Offset to) {
  Log& log = logs_[at];
  log.start_max = std::max(log.start_max, to);
}

void Checker::digest(std::string_view broker, Position at, Hash128 digest) {
  auto [it, fresh] = digests_.try_emplace(at, digest, std::string(broker));
  if (!fresh && it->second.first != digest)
    report(Violation::digest, "position " + std::to_string(at.value) + ": " + std::string(broker) +
                                  " has another state than " + it->second.second);
}

void Checker::ended(PartitionRef at, Offset start, Offset end, Offset compacted_to) {
  if (look_) look_();
  Log& log = log_of(at);
  if (log.compacted.drops())
    log.compacted.end_final(
        {start, end, compacted_to},
        [&](CompactedView::Fault fault, Offset where) { report_compacted(at, fault, where); });
  if ((log.start && *log.start != start) || (log.end && *log.end != end))
    report(Violation::two_values, name_of(at) + " ends differently on two brokers");
  log.start = start;
  log.end = end;
  if (start > log.start_max)
    report(Violation::lost, name_of(at) + " starts at " + std::to_string(start.value) +
                                "; nobody asked for more than " +
                                std::to_string(log.start_max.value));
}

void Checker::finish_log(PartitionRef at, const Log& log) {
  if (!topic_exists(at.topic)) return;
  if (!log.end) {
    report(Violation::lost, name_of(at) + " was not there at the end");
    return;
  }
  auto end = static_cast<std::size_t>(log.end->value);
  bool dense = !log.compacted.drops();
  for (auto i = static_cast<std::size_t>(log.start->value); dense && i < end; ++i)
    if (i >= log.cells.size() || !log.cells[i].read)
      report(Violation::hole, name_of(at) + ": nobody could read offset " + std::to_string(i));
  for (std::size_t i = end; i < log.cells.size(); ++i) {
    Cell cell = log.cells[i];
    if (cell.stream == kNobody) continue;
    bool acknowledged = streams_[cell.stream].records[cell.number].acknowledged;
    report(acknowledged ? Violation::lost : Violation::withdrawn,
           name_of(at) + " ends at " + std::to_string(end) + "; offset " + std::to_string(i) +
               " held " + name_of(cell));
  }
  finish_order(at, log);
}

void Checker::finish_order(PartitionRef at, const Log& log) {
  std::map<StreamId, std::uint32_t> last;
  for (std::size_t i = 0; i < log.cells.size(); ++i) {
    Cell cell = log.cells[i];
    if (cell.stream == kNobody || !streams_[cell.stream].idempotent) continue;
    auto [it, first] = last.try_emplace(cell.stream, cell.number);
    if (first) continue;
    std::string where = "offset " + std::to_string(i) + " of " + name_of(at) + ": ";
    if (cell.number == it->second)
      report(Violation::duplicate, where + name_of(cell) + " again");
    else if (cell.number < it->second)
      report(Violation::reordered, where + name_of(cell) + " after " + std::to_string(it->second));
    else
      it->second = cell.number;
  }
}

/// How often each record stands in its log.
void Checker::finish_streams() {
  std::vector<std::vector<std::uint32_t>> counts(streams_.size());
  for (std::size_t s = 0; s < streams_.size(); ++s) counts[s].resize(streams_[s].records.size());
  std::map<PartitionRef, std::int64_t> unread;  // Cells that were deleted before anybody saw them.
  for (const auto& [at, log] : logs_) {
    std::int64_t seen_below_start = 0;
    std::int64_t start = log.start.value_or(Offset(0)).value;
    // Of a compacted log anything may be gone before anybody saw it.
    if (log.compacted.drops()) start = log.end.value_or(Offset(start)).value;
    for (std::size_t i = 0; i < log.cells.size(); ++i) {
      if (log.cells[i].stream == kNobody) continue;
      ++counts[log.cells[i].stream][log.cells[i].number];
      if (static_cast<std::int64_t>(i) < start) ++seen_below_start;
    }
    unread[at] = start - seen_below_start;
  }
  for (std::size_t s = 0; s < streams_.size(); ++s) {
    const Stream& stream = streams_[s];
    if (!topic_exists(stream.at.topic)) continue;
    for (std::uint32_t n = 0; n < stream.records.size(); ++n) {
      Cell cell{static_cast<StreamId>(s), n, false};
      if (counts[s][n] > 1 && stream.idempotent)
        report(Violation::duplicate, name_of(cell) + " stands " + std::to_string(counts[s][n]) +
                                         " times in " + name_of(stream.at));
      if (counts[s][n] == 0 && stream.records[n].acknowledged && --unread[stream.at] < 0)
        report(Violation::lost,
               name_of(cell) + " in " + name_of(stream.at) + " was acknowledged and is nowhere");
    }
  }
  finish_compacted(counts);
}

void Checker::report_compacted(PartitionRef at, CompactedView::Fault fault, Offset where) {
  using Fault = CompactedView::Fault;
  std::string text = name_of(at) + ": offset " + std::to_string(where.value);
  switch (fault) {
    case Fault::value_gone:
      return report(Violation::lost, text + " held the latest value of its key and is gone");
    case Fault::tombstone_gone:
      return report(Violation::tombstone_gone, text + " held a young tombstone and is gone");
    case Fault::came_back:
      return report(Violation::resurrected, text + " was gone and is there again");
    case Fault::stale_value:
      return report(Violation::resurrected,
                    text + " is there although a later record of its key is gone");
    case Fault::twice:
      return report(Violation::uncompacted,
                    text + " is there although a later record of its key is clean, too");
  }
}

void Checker::finish_compacted(const std::vector<std::vector<std::uint32_t>>& counts) {
  for (const auto& [at, log] : logs_) {
    if (!log.compacted.drops() || !topic_exists(at.topic) || !log.end) continue;
    std::vector<KeyedRecord> elsewhere;
    for (std::size_t s = 0; s < streams_.size(); ++s)
      for (std::size_t n = 0; streams_[s].at == at && n < streams_[s].records.size(); ++n)
        // Without sequences a retry may have put it there once more, unseen.
        if (counts[s][n] == 0 || !streams_[s].idempotent)
          elsewhere.push_back(streams_[s].records[n].keyed);
    auto record = [&log, this](Offset offset) -> std::optional<KeyedRecord> {
      auto index = static_cast<std::size_t>(offset.value);
      if (index >= log.cells.size() || log.cells[index].stream == kNobody) return std::nullopt;
      return streams_[log.cells[index].stream].records[log.cells[index].number].keyed;
    };
    // A delete horizon may be set by the slowest clock, and be over by the fastest.
    log.compacted.finish(record, elsewhere, clock_most_ms_ - clock_least_ms_ + kLookMs,
                         [&, ref = at](CompactedView::Fault fault, Offset where) {
                           report_compacted(ref, fault, where);
                         });
  }
}

void Checker::finish() {
  for (const auto& [at, log] : logs_) finish_log(at, log);
  finish_streams();
}

}  // namespace weir::sim
