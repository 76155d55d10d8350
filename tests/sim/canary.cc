#include "tests/sim/canary.h"

#include <algorithm>

#include "base/endian.h"
#include "codec/crc32c.h"
#include "compaction/edit.h"
#include "record/batch_view.h"
#include "record/format.h"
#include "record/reader.h"
#include "tests/sim/group_canaries.h"
#include "tests/sim/remote.h"
#include "tests/sim/run.h"

namespace weir::sim {

namespace {

constexpr int kWrongSegmentTries = 16;

/// Bugs of brokers.
std::vector<CanaryInfo> broker_canaries() {
  using enum Violation;
  return {
      {Canary::ack_without_commit,
       "ack-without-commit",
       "a broker answers a produce with the right offset and forgets it",
       {lost, two_values}},
      {Canary::ack_on_time_out,
       "ack-on-time-out",
       "a broker answers a produce whose commit failed as done",
       {lost, wrong_refusal}},
      {Canary::no_idempotence,
       "no-idempotence",
       "a broker drops producer ids, so that retries append again",
       {duplicate, reordered}},
      {Canary::shifted_offsets,
       "shifted-offsets",
       "a broker stamps offsets that are off by one",
       {two_values, skipping_poll}},
      {Canary::changed_record,
       "changed-record",
       "a broker changes a byte of a record and repairs the checksum",
       {altered}},
      {Canary::skipped_batch,
       "skipped-batch",
       "a broker leaves a batch out of an answer",
       {skipping_poll}},
      {Canary::state_drifts, "state-drifts", "the state of one broker differs", {digest}},
      {Canary::early_truncation,
       "early-truncation",
       "log entries are removed before the floor is published",
       {two_values, digest, lost, stale_end, halted, stuck}},
      {Canary::careless_collector,
       "careless-collector",
       "objects that nothing names are deleted although a commit may be on its way",
       {missing, lost}},
      {Canary::merge_unguarded,
       "merge-unguarded",
       "a merge replaces spans that it has not read",
       {corrupt, lost, hole, two_values}},
      {Canary::value_dropped,
       "value-dropped",
       "compaction drops the latest value of a key",
       {lost}},
      {Canary::value_resurrected,
       "value-resurrected",
       "a broker shows a record again that compaction has dropped",
       {resurrected}},
      {Canary::clean_unread,
       "clean-unread",
       "a compaction calls clean what it has not read",
       {uncompacted}},
      {Canary::tombstone_dropped,
       "tombstone-dropped",
       "tombstones go before delete.retention.ms",
       {tombstone_gone}},
  };
}

/// Bugs of brokers that groups can see.
std::vector<CanaryInfo> group_canaries() {
  using enum Violation;
  return {
      {Canary::expire_unguarded,
       "expire-unguarded",
       "members are expired over signs of life that the proposer had not folded",
       {expired_alive},
       Workload::groups},
      {Canary::commit_unguarded,
       "commit-unguarded",
       "commits land whatever their generation or epoch is",
       {fenced_commit, offset_back, committed_twice},
       Workload::groups},
      {Canary::revoke_unawaited,
       "revoke-unawaited",
       "partitions are given to another member before their owner gave them up",
       {two_owners},
       Workload::groups},
      {Canary::torn_commit,
       "torn-commit",
       "an offset lands without the metadata of its commit",
       {torn_output},
       Workload::groups},
  };
}

/// Bugs of the store and the log.
std::vector<CanaryInfo> storage_canaries() {
  using enum Violation;
  return {
      {Canary::create_wins_twice,
       "create-wins-twice",
       "the log tells the second writer of a position that it has won",
       {two_values, digest}},
      {Canary::log_loses_entry,
       "log-loses-entry",
       "the newest entries are gone after all brokers died",
       {lost, two_values, withdrawn}},
      {Canary::stale_log_reads,
       "stale-log-reads",
       "the log answers \"absent\" for entries that were answered before",
       {stale_end, stale_refusal}},
      {Canary::wrong_segment,
       "wrong-segment",
       "the store returns the bytes of another segment",
       {corrupt}},
      {Canary::damaged_segment,
       "damaged-segment",
       "the store returns a segment with a wrong byte",
       {corrupt}},
      {Canary::store_stays_down,
       "store-stays-down",
       "the store does not come back after the last fault",
       {stuck}},
  };
}

std::vector<CanaryInfo> joined(std::vector<CanaryInfo> first, std::vector<CanaryInfo> second) {
  for (CanaryInfo& info : second) first.push_back(std::move(info));
  return first;
}

}  // namespace

const std::vector<CanaryInfo>& all_canaries() {
  static const std::vector<CanaryInfo> canaries =
      joined(joined(broker_canaries(), storage_canaries()), group_canaries());
  return canaries;
}

std::optional<Canary> canary_named(std::string_view name) {
  for (const CanaryInfo& info : all_canaries())
    if (info.name == name) return info.canary;
  return std::nullopt;
}

const CanaryInfo& info_of(Canary canary) {
  for (const CanaryInfo& info : all_canaries())
    if (info.canary == canary) return info;
  ensure_failed("the canary is in the table", __FILE__, __LINE__);
}

rt::Task<Result<commitlog::CreateOutcome>> CanaryLog::create(Position at, BytesChain entry) {
  using commitlog::CreateOutcome;
  if (at.value < entries_.size())
    co_return canary_ == Canary::create_wins_twice&& at.value > 0 && random_.below(4) == 0
        ? CreateOutcome::won
        : CreateOutcome::exists;
  if (at.value > entries_.size()) co_return fail(ErrorCode::precondition, "beyond the tail");
  SharedBytes bytes = SharedBytes::copy_of(entry.flatten().view());
  const SharedBytes written = spoils_groups(canary_) ? spoiled(bytes) : bytes;
  entries_.push_back(written);
  // Whoever did not win folds what it reads.
  co_return written == bytes ? CreateOutcome::won : CreateOutcome::exists;
}

SharedBytes CanaryLog::spoiled(const SharedBytes& entry) {
  Result<state::EntryView> view = state::decode_entry(entry);
  ENSURE(view.has_value());
  bool changed = false;
  for (state::CommandGroup& group : view->groups)
    for (state::EncodedCommand& command : group.commands)
      changed |= spoil_group_command(canary_, folded_, command, random_);
  SharedBytes written = entry;
  if (changed) {
    const BytesChain inlined(entry.slice(view->inline_offset, view->inline_bytes));
    written = state::encode_entry(view->header, view->groups, inlined).flatten();
  }
  folded_.apply(*state::decode_entry(written));
  return written;
}

rt::Task<Result<std::optional<SharedBytes>>> CanaryLog::read(Position at) {
  bool stale = canary_ == Canary::stale_log_reads && at.value + 20 > entries_.size() &&
               random_.below(3) != 0;
  if (at.value >= entries_.size() || stale) co_return std::nullopt;
  co_return entries_[at.value];
}

void CanaryLog::all_brokers_died() {
  if (canary_ == Canary::log_loses_entry && entries_.size() > 10)
    entries_.resize(entries_.size() - 5);
}

rt::Task<Result<SharedBytes>> CanaryStore::get_range(std::string name, std::uint64_t offset,
                                                     std::uint64_t length) {
  std::string chosen = name;
  if (canary_ == Canary::wrong_segment && random_.below(2) == 0) {
    // One of the same shape, so that checksums and counts are right. A few tries find one, if there
    // are any; looking through all of the store at each read would take most of the run.
    auto page = complete(inner_.list("data/", ""));
    auto own = complete(inner_.get_range(name, offset, length));
    for (int tries = 0; tries < kWrongSegmentTries && own && chosen == name; ++tries) {
      const std::string& other = page->objects[random_.below(page->objects.size())].name;
      auto bytes = complete(inner_.get_range(other, offset, length));
      if (!bytes || other == name) continue;
      auto ours = record::BatchView::front_of(own->view());
      auto theirs = record::BatchView::front_of(bytes->view());
      if (!ours || !theirs || theirs->size() != length || !theirs->checksum_ok()) continue;
      if (ours->record_count() == theirs->record_count() && ours->size() == length) chosen = other;
    }
  }
  auto bytes = complete(inner_.get_range(chosen, offset, length));
  if (canary_ != Canary::damaged_segment || !bytes || random_.below(20) != 0) co_return bytes;
  SharedBytes damaged = SharedBytes::copy_of(bytes->view());
  damaged.mutable_view().back() ^= std::byte{1};
  co_return damaged;
}

namespace {

/// A copy of one batch, changed and with its checksum made right again.
template <class Change>
SharedBytes changed_copy(Bytes batch, Change change) {
  Buffer copy = Buffer::copy_of(batch);
  change(copy.data());
  Bytes checked = Bytes(copy.data()).subspan(record::at::attributes);
  store_be<std::uint32_t>(copy.data(), record::at::crc, codec::crc32c(checked));
  return copy;
}

}  // namespace

void CanaryAnswers::spoil_request(engine::ProduceItem& item) {
  if (canary_ != Canary::no_idempotence || !item.info.idempotent()) return;
  item.batch = changed_copy(item.batch.view(), [](MutableBytes batch) {
    store_be<std::int64_t>(batch, record::at::producer_id, -1);
    store_be<std::int16_t>(batch, record::at::producer_epoch, -1);
    store_be<std::int32_t>(batch, record::at::base_sequence, -1);
  });
  item.info.producer = ProducerId(-1);
  item.info.epoch = ProducerEpoch(-1);
  item.info.base_sequence = -1;
}

bool CanaryAnswers::swallow(const engine::ProduceItem& item, Offset end,
                            engine::ProduceOutcome& outcome) {
  if (canary_ != Canary::ack_without_commit || item.info.idempotent() || !now(20)) return false;
  outcome.base_offset = end;
  return true;
}

void CanaryAnswers::spoil(engine::ProduceOutcome& outcome) {
  if (canary_ != Canary::ack_on_time_out || !outcome.failure) return;
  outcome.failure.reset();
  outcome.base_offset = Offset(-1);
}

namespace {

/// The batch without its last record.
SharedBytes without_last_record(const record::BatchView& batch) {
  auto reader = record::RecordReader::open(batch);
  std::vector<record::RecordView> kept;
  for (auto record = reader->next(); record && *record; record = reader->next())
    kept.push_back(**record);
  if (kept.size() < 2) return SharedBytes::copy_of(batch.bytes());
  kept.pop_back();
  auto shorter = compaction::keep_records(batch, kept);
  ENSURE(shorter.has_value());
  return std::move(*shorter);
}

}  // namespace

void CanaryAnswers::spoil_final(PartitionRef at, Offset asked, engine::FetchedPartition& answer) {
  if (canary_ != Canary::value_resurrected || answer.records.empty()) return;
  SharedBytes all = SharedBytes::copy_of(answer.records.flatten().view());
  auto first = record::BatchIterator(all.view()).next();
  if (!first || !*first) return;
  auto found = remembered_.find(at);
  if (found == remembered_.end()) return;
  auto old = record::BatchView::front_of(found->second.view());
  if (!old || old->base_offset() < asked || old->last_offset() >= (*first)->base_offset()) return;
  if (!now(2)) return;
  answer.records = BytesChain(found->second);
  answer.records.append(all);
}

void CanaryAnswers::remember(PartitionRef at, const engine::FetchedPartition& answer) {
  if (canary_ != Canary::value_resurrected || answer.records.empty()) return;
  SharedBytes all = answer.records.flatten();
  auto first = record::BatchIterator(all.view()).next();
  if (first && *first) remembered_.try_emplace(at, SharedBytes::copy_of((*first)->bytes()));
}

void CanaryAnswers::spoil(engine::FetchedPartition& answer) {
  bool fits = canary_ == Canary::shifted_offsets || canary_ == Canary::changed_record ||
              canary_ == Canary::skipped_batch || canary_ == Canary::value_dropped;
  if (!fits || answer.records.empty() || !now(20)) return;
  SharedBytes all = SharedBytes::copy_of(answer.records.flatten().view());
  record::BatchIterator batches(all.view());
  BytesChain out;
  for (std::size_t number = 0;; ++number) {
    auto next = batches.next();
    if (!next || !*next) break;
    const record::BatchView& batch = **next;
    SharedBytes bytes = SharedBytes::copy_of(batch.bytes());
    std::int64_t shifted = batch.base_offset().value + 1;
    if (canary_ == Canary::skipped_batch && number == 1) continue;
    if (canary_ == Canary::shifted_offsets)
      store_be<std::int64_t>(bytes.mutable_view(), record::at::base_offset, shifted);
    if (canary_ == Canary::value_dropped) bytes = without_last_record(batch);
    if (canary_ == Canary::changed_record)
      bytes = changed_copy(bytes.view(), [](MutableBytes b) { b.back() ^= std::byte{2}; });
    out.append(bytes);
  }
  answer.records = out;
}

}  // namespace weir::sim
