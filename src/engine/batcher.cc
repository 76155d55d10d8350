#include "engine/batcher.h"

#include <algorithm>

#include "base/narrow.h"
#include "codec/crc32c.h"
#include "engine/flush_compression.h"
#include "engine/limits.h"
#include "engine/segment.h"
#include "engine/stamp.h"
#include "record/batch_view.h"

namespace weir::engine {

namespace {

constexpr Duration kUploadRetryPause = 100ms;

bool worth_retrying(const Error& error) {
  return error.is(ErrorCode::unavailable) || error.is(ErrorCode::timed_out) ||
         error.is(ErrorCode::unknown_outcome);
}

std::uint64_t micros(Duration d) { return static_cast<std::uint64_t>(d.count() / 1000); }

}  // namespace

/// One flush under way.
struct Batcher::Flight {
  std::uint64_t number = 0;
  MonoTime first_arrival;
  MonoTime closed;
  FlushPlan plan;
  struct Upload {
    Position born;
    Incarnation writer;
    std::uint64_t counter = 0;
    std::uint64_t bytes = 0;
    std::optional<Error> failure;
  };
  std::vector<Upload> uploads;
  std::size_t uncommitted = 0;
};

/// Waits for the outcome of one AppendSpans command and settles its batches. Shared with the
/// proposer's queue.
class Batcher::Commit final : public ProposalSink {
 public:
  Commit(Batcher& batcher, PlannedObject object, MonoTime proposed)
      : batcher_(batcher), object_(std::move(object)), proposed_(proposed) {}
  void on_outcome(const state::EntryView& entry, const state::CommandOutcome& outcome) override {
    batcher_.committed_seconds_.observe(micros(batcher_.parts_.loop.now() - proposed_));
    batcher_.committed(std::move(object_), entry, outcome);
    --batcher_.flights_;
    batcher_.changed_.notify_all();
  }

 private:
  Batcher& batcher_;
  PlannedObject object_;
  MonoTime proposed_;
};

Batcher::Batcher(Parts parts, const Options& options)
    : parts_(parts),
      options_(options),
      changed_(parts.loop),
      turn_changed_(parts.loop),
      scope_(parts.loop),
      flushes_inline_(parts.metrics.counter("weir_flushes_total", "Flushes by how they travelled",
                                            "kind=\"inline\"")),
      flushes_segments_(parts.metrics.counter("weir_flushes_total", "Flushes by how they travelled",
                                              "kind=\"segment\"")),
      flush_bytes_(parts.metrics.counter("weir_flush_bytes_total", "Record bytes flushed")),
      spans_(parts.metrics.counter("weir_flush_spans_total", "Spans proposed")),
      buffered_seconds_(parts.metrics.histogram(
          "weir_produce_buffered_seconds", "Time from a flush's first batch to its closing", 1e-6)),
      uploaded_seconds_(parts.metrics.histogram(
          "weir_produce_uploaded_seconds", "Time from a flush's closing to its last upload", 1e-6)),
      committed_seconds_(parts.metrics.histogram(
          "weir_produce_committed_seconds", "Time from proposing a flush to its fold", 1e-6)) {}

void Batcher::add(QueuedBatch batch) {
  if (stopping_) {
    batch.fail({ErrorCode::cancelled, "the broker is stopping"});
    return;
  }
  if (queue_.empty()) first_arrival_ = parts_.loop.now();
  queued_bytes_ += batch.item.batch.size();
  parts_.pacer.note_load(batch.item.batch.size());
  queue_.push_back(std::move(batch));
  changed_.notify_all();
}

std::optional<MonoTime> Batcher::window_end() const {
  if (queue_.empty()) return std::nullopt;
  if (stopping_) return first_arrival_;
  MonoTime least = first_arrival_ + options_.flush_interval_min;
  if (flights_ >= options_.flights_max) return std::nullopt;
  if (parts_.pacer.active()) {
    // An inline flush costs its create alone.
    double requests = queued_bytes_ <= inline_bytes_max() ? 1 : 2;
    return std::clamp(parts_.pacer.when(requests), least,
                      first_arrival_ + options_.flush_interval_max);
  }
  return flights_ == 0 ? least : first_arrival_ + options_.flush_interval_max;
}

std::size_t Batcher::inline_bytes_max() const {
  bool room = parts_.follower.state().inline_bytes_live() < kInlineBytesLiveMax;
  return room ? options_.inline_bytes : 0;
}

rt::Task<void> Batcher::run() {
  while (!(stopping_ && queue_.empty())) {
    std::optional<MonoTime> end = window_end();
    if (!end) {
      co_await changed_.wait();  // A batch, the end of a flight, or stop.
      continue;
    }
    if (parts_.loop.now() < *end) {
      co_await changed_.wait_until(*end);
      continue;
    }
    // What the present turn of the loop has already decoded belongs into this flush too.
    co_await rt::yield(parts_.loop);
    auto flight = std::make_shared<Flight>();
    flight->number = next_flight_++;
    flight->first_arrival = first_arrival_;
    flight->closed = parts_.loop.now();
    FlushLimits limits{inline_bytes_max(), options_.segment_bytes, kSpansPerCommandMax};
    flight->plan = plan_flush(std::exchange(queue_, {}), limits);
    queued_bytes_ = 0;
    buffered_seconds_.observe(micros(flight->closed - flight->first_arrival));
    flights_ += flight->plan.objects.size();
    scope_.spawn(fly(std::move(flight)));
  }
  co_await scope_.join();
  while (flights_ > 0 && parts_.follower.halted().empty() && parts_.loop.now() < give_up_)
    co_await changed_.wait_until(give_up_);
}

void Batcher::stop(MonoTime give_up) {
  stopping_ = true;
  give_up_ = give_up;
  changed_.notify_all();
}

rt::Task<void> Batcher::fly(std::shared_ptr<Flight> flight) {
  FlushPlan& plan = flight->plan;
  (plan.is_inline ? flushes_inline_ : flushes_segments_).add();
  std::size_t bytes = 0, spans = 0;
  for (const PlannedObject& object : plan.objects) {
    bytes += object.bytes;
    spans += object.spans.size();
  }
  parts_.decisions.record(flight->closed, DecisionKind::flush,
                          {static_cast<std::int64_t>(bytes), static_cast<std::int64_t>(spans),
                           plan.is_inline ? 0 : static_cast<std::int64_t>(plan.objects.size())});
  flight->uploads.resize(plan.objects.size());
  if (!plan.is_inline) {
    rt::Scope uploads(parts_.loop);
    for (std::size_t i = 0; i < plan.objects.size(); ++i) {
      while (uploads.running() >= kSegmentsPerFlushMax)
        co_await changed_.wait_until(parts_.loop.now() + 1ms);
      uploads.spawn(upload(flight, i));
    }
    co_await uploads.join();
    uploaded_seconds_.observe(micros(parts_.loop.now() - flight->closed));
  }
  while (turn_ != flight->number)
    co_await turn_changed_.wait();  // Earlier flights end: uploads have deadlines.
  for (std::size_t i = 0; i < plan.objects.size(); ++i) commit(*flight, i);
  ++turn_;
  turn_changed_.notify_all();
}

rt::Task<void> Batcher::upload(std::shared_ptr<Flight> flight, std::size_t index) {
  Flight::Upload& upload = flight->uploads[index];
  co_await compress_object(parts_.loop, parts_.workers, {parts_.follower.state(), parts_.configs},
                           flight->plan.objects[index]);
  BytesChain body;
  for (int attempt = 1;; ++attempt) {
    // The header names the writer, who may have been expired and have registered anew since the
    // attempt before.
    if (attempt == 1 || upload.writer != parts_.proposer.incarnation())
      body = encode_object(flight->plan.objects[index]);
    upload.bytes = body.size();
    // A fresh name each time: an upload whose answer was lost may still arrive, as an orphan.
    upload.born = parts_.follower.state().position().value_or(Position(0));
    upload.writer = parts_.proposer.incarnation();
    upload.counter = parts_.proposer.next_object_number();
    parts_.pacer.spend(1);
    auto put =
        co_await parts_.store.put(segment_name(upload.born, upload.writer, upload.counter), body);
    if (put) {
      upload_trouble_.succeeded();
      co_return;
    }
    upload_trouble_.failed(parts_.loop.now(), put.error());
    parts_.logger.warn("segment_upload_failed", {{"store", parts_.store.describe()},
                                                 {"attempt", attempt},
                                                 {"error", describe(put.error())}});
    if (attempt >= kUploadAttemptsMax || !worth_retrying(put.error()) || stopping_) {
      upload.failure = put.error();
      co_return;
    }
    co_await rt::sleep_for(parts_.loop, kUploadRetryPause * attempt);
  }
}

std::string Batcher::trouble() const {
  MonoTime now = parts_.loop.now();
  const StoreTrouble& trouble = upload_trouble_;
  if (!trouble.since() || now - *trouble.since() < kTroubleShownAfter ||
      now - trouble.last() >= kUploadTroubleHolds)
    return {};
  return "the store at " + parts_.store.describe() + " takes no segments: " + trouble.what();
}

namespace {

std::uint32_t checksum_after(std::uint32_t previous, Bytes validated_batch) {
  auto batch = record::BatchView::front_of(validated_batch);
  ENSURE(batch.has_value());
  return batch->checksum_after(previous);
}

}  // namespace

BytesChain Batcher::encode_object(const PlannedObject& object) const {
  const state::State& state = parts_.follower.state();
  SegmentHeader header;
  header.cluster_tag = state::cluster_tag_of(state.cluster_id());
  header.writer = parts_.proposer.incarnation();
  header.level = state.level();
  BytesChain data;
  std::vector<SegmentRegion> regions;
  regions.reserve(object.spans.size());
  for (const PlannedSpan& planned : object.spans) {
    SegmentRegion region;
    region.at = planned.span.at;
    const state::TopicInfo* topic = state.topic(planned.span.at.topic);
    region.topic_name = topic ? topic->name : "";
    region.stored_bytes = region.raw_bytes = planned.span.bytes;
    region.records = planned.span.records;
    region.batches = planned.span.batches;
    region.max_timestamp_ms = planned.span.max_timestamp_ms;
    region.min_timestamp_ms = planned.batches.front().item.info.base_timestamp_ms;
    region.run = planned.span.run;
    if (planned.compressed) {
      region.transform = RegionTransform::zstd;
      region.raw_bytes = 0;
      for (const QueuedBatch& batch : planned.batches)
        region.raw_bytes += narrow<std::uint32_t>(batch.item.batch.size());
      region.crc32c = codec::crc32c(planned.compressed->view());
      data.append(*planned.compressed);
    } else {
      for (const QueuedBatch& batch : planned.batches) {
        region.crc32c = checksum_after(region.crc32c, batch.item.batch.view());
        data.append(batch.item.batch);
      }
    }
    regions.push_back(std::move(region));
  }
  return encode_segment(header, std::move(regions), data);
}

namespace {

SharedBytes columns_of(const PlannedObject& object) {
  std::vector<state::NewSpan> spans;
  spans.reserve(object.spans.size());
  for (const PlannedSpan& planned : object.spans) spans.push_back(planned.span);
  return state::encode_spans(spans);
}

}  // namespace

Proposal Batcher::inline_proposal(const PlannedObject& object) const {
  Proposal proposal;
  proposal.type = state::command::AppendSpans::kType;
  proposal.inline_spans.emplace();
  proposal.inline_spans->columns = columns_of(object);
  for (const PlannedSpan& planned : object.spans)
    for (const QueuedBatch& batch : planned.batches) proposal.inline_data.append(batch.item.batch);
  return proposal;
}

Proposal Batcher::segment_proposal(Flight& flight, std::size_t index) const {
  const Flight::Upload& upload = flight.uploads[index];
  state::command::AppendSpans command;
  command.segment_born_position = narrow<std::int64_t>(upload.born.value);
  command.segment_counter = narrow<std::int64_t>(upload.counter);
  command.segment_bytes = narrow<std::int64_t>(upload.bytes);
  command.first_byte = kSegmentHeaderBytes;
  command.columns = columns_of(flight.plan.objects[index]);
  Proposal proposal = make_proposal(command);
  proposal.names_own_object = true;
  return proposal;
}

void Batcher::commit(Flight& flight, std::size_t index) {
  PlannedObject& object = flight.plan.objects[index];
  std::optional<Error> failure = flight.uploads[index].failure;
  // A segment is named by its writer; if this broker was expired meanwhile, the name no longer
  // fits.
  bool renamed =
      !flight.plan.is_inline && flight.uploads[index].writer != parts_.proposer.incarnation();
  if (!failure && !renamed) {
    flush_bytes_.add(object.bytes);
    spans_.add(object.spans.size());
    Proposal proposal =
        flight.plan.is_inline ? inline_proposal(object) : segment_proposal(flight, index);
    auto sink = std::make_shared<Commit>(*this, std::move(object), parts_.loop.now());
    // A refused submit drops its sink: keep a second hold on the batches through it.
    if (parts_.proposer.submit(std::move(proposal), sink)) return;
    state::CommandOutcome not_taken;
    not_taken.refusal = Refusal::limit_reached;
    sink->on_outcome({}, not_taken);
    return;
  }
  --flights_;
  changed_.notify_all();
  for (PlannedSpan& span : object.spans)
    for (QueuedBatch& batch : span.batches) {
      if (failure)
        batch.fail(*failure);
      else
        add(std::move(batch));
    }
}

void Batcher::committed(PlannedObject object, const state::EntryView&,
                        const state::CommandOutcome& outcome) {
  if (outcome.status == state::CommandStatus::repeat) {
    for (PlannedSpan& span : object.spans)
      for (QueuedBatch& batch : span.batches)
        batch.fail({ErrorCode::timed_out,
                    "the log was truncated before this broker could see what became of the batch"});
    return;
  }
  if (outcome.refusal == Refusal::born_before_horizon ||
      outcome.refusal == Refusal::not_registered) {
    // Uploaded again, under a new name.
    for (PlannedSpan& span : object.spans)
      for (QueuedBatch& batch : span.batches) add(std::move(batch));
    return;
  }
  if (outcome.refusal != Refusal::none || outcome.items.size() != object.spans.size()) {
    parts_.logger.error("flush_refused", {{"refusal", to_string(outcome.refusal)}});
    for (PlannedSpan& span : object.spans)
      for (QueuedBatch& batch : span.batches)
        batch.fail({ErrorCode::unavailable,
                    "the commit was refused: " + std::string(to_string(outcome.refusal))});
    return;
  }
  for (std::size_t i = 0; i < object.spans.size(); ++i)
    settle_span(std::move(object.spans[i]), outcome.items[i]);
}

void Batcher::settle_span(PlannedSpan span, const state::ItemOutcome& outcome) {
  const state::State& state = parts_.follower.state();
  if (outcome.refusal == Refusal::none) {
    Offset base(outcome.value);
    std::optional<state::PartitionInfo> info = state.partition(span.span.at);
    BytesChain region;
    LeaderEpoch epoch = state.placement_epoch();
    for (QueuedBatch& batch : span.batches) {
      stamp_region(batch.item.batch.mutable_view(), base, epoch);
      region.append(batch.item.batch);
      ProduceOutcome done;
      done.base_offset = base;
      done.log_start = info ? info->start : Offset(0);
      base = Offset(base.value + batch.item.info.records);
      batch.finish(std::move(done));
    }
    state.visit_spans(span.span.at, Offset(outcome.value), [&](const state::SpanInfo& placed) {
      if (placed.base.value == outcome.value)
        parts_.cache.insert(RegionKey::of(placed.object, placed.first_byte), std::move(region),
                            Cache::Age::tail);
      return false;
    });
    return;
  }
  bool one_batch = span.batches.size() == 1;
  if (one_batch && outcome.refusal == Refusal::duplicate) {
    ProduceOutcome done;
    done.base_offset = Offset(outcome.value);
    span.batches.front().finish(std::move(done));
    return;
  }
  for (QueuedBatch& batch : span.batches) refused_->examine(std::move(batch), outcome.refusal);
}

}  // namespace weir::engine
