#include "tests/sim/writer.h"

#include <algorithm>

#include "base/narrow.h"
#include "tests/sim/limits.h"

namespace weir::sim {

namespace {
constexpr Duration kRetryPause = 50ms;
}  // namespace

Writer::Writer(Caller& caller, Topics& topics, WriterOptions options)
    : caller_(caller),
      checker_(caller.cluster().checker()),
      topics_(topics),
      options_(options),
      stream_(checker_.add_stream(options.at, options.idempotent)),
      broker_(caller.any_broker()),
      changed_(caller.loop()),
      scope_(caller.loop()) {}

void Writer::finish() {
  finishing_ = true;
  changed_.notify_all();
}

rt::Task<void> Writer::take_producer_id() {
  Duration time_out = options_.time_out;
  while (producer_.value < 0 && !gone() && !finishing_) {
    Request<Result<ProducerId>> request = [time_out](engine::ClusterEngine& engine) {
      return engine.new_producer_id(engine.loop().now() + time_out);
    };
    auto answer = co_await caller_.call<Result<ProducerId>>(caller_.any_broker(),
                                                            std::move(request), time_out);
    if (answer && *answer)
      producer_ = **answer;
    else
      co_await rt::sleep_for(caller_.loop(), kRetryPause);
  }
}

void Writer::add_batch() {
  rt::Random& random = caller_.random();
  NewBatch batch;
  batch.stream = stream_;
  batch.first = next_number_;
  batch.count = narrow<std::uint32_t>(1 + random.below(options_.records_per_batch_max));
  batch.value_bytes_max = options_.value_bytes_max;
  batch.timestamp = caller_.loop().wall_now();
  batch.codec = options_.codec;
  batch.tombstones_percent = options_.tombstones_percent;
  batch.producer = producer_;
  batch.sequence = next_sequence_;
  auto made = std::make_shared<Batch>();
  made->made = make_batch(batch, random);
  made->run = {stream_, batch.first, batch.count};
  for (const Seen& record : made->made.records)
    checker_.sent(stream_, record, batch.timestamp.value);
  next_number_ += batch.count;
  next_sequence_ += narrow<std::int32_t>(batch.count);
  window_.push_back(std::move(made));
}

/// Batches come in bursts, so that several are in flight.
Duration Writer::draw_pause() {
  rt::Random& random = caller_.random();
  if (random.below(4) != 0) return 0ms;
  auto jitter = random.below(static_cast<std::uint64_t>(options_.pace.count()));
  return options_.pace / 2 + Duration(static_cast<std::int64_t>(jitter));
}

Writer::BatchPtr Writer::next_to_send() const {
  if (in_flight_ >= kBatchesInFlight) return nullptr;
  for (const BatchPtr& batch : window_) {
    if (batch->stage != Stage::waiting) continue;
    if (batch->attempts > 0 && !options_.eager && in_flight_ > 0) return nullptr;
    return batch;
  }
  return nullptr;
}

rt::Task<void> Writer::run() {
  if (options_.idempotent) co_await take_producer_id();
  while (!gone()) {
    while (!window_.empty() && window_.front()->stage == Stage::acknowledged) window_.pop_front();
    if (finishing_ && window_.empty()) break;
    MonoTime now = caller_.loop().now();
    bool may_add = !finishing_ && window_.size() < kBatchesInFlight;
    if (may_add && now >= next_batch_) {
      add_batch();
      next_batch_ = now + draw_pause();
    }
    BatchPtr batch = now >= not_before_ ? next_to_send() : nullptr;
    if (batch) {
      bool is_next = batch == window_.front();
      batch->stage = Stage::in_flight;
      ++batch->attempts;
      ++in_flight_;
      scope_.spawn(send(batch, is_next));
      continue;
    }
    MonoTime wake = now + 1s;
    if (may_add) wake = std::min(wake, next_batch_);
    if (now < not_before_) wake = std::min(wake, not_before_);
    co_await changed_.wait_until(wake);
  }
  co_await scope_.join();
  done_ = true;
}

rt::Task<void> Writer::send(BatchPtr batch, bool is_next) {
  using Outcomes = std::vector<engine::ProduceOutcome>;
  engine::ProduceItem item = item_of(options_.at, batch->made);
  CanaryAnswers& answers = caller_.cluster().answers();
  answers.spoil_request(item);
  engine::ProduceOutcome swallowed;
  if (answers.swallow(item, checker_.known(options_.at).end_min, swallowed)) {
    --in_flight_;
    settle(*batch, swallowed, is_next);
    co_return;
  }
  Duration time_out = options_.time_out;
  Request<Outcomes> request = [item = std::move(item), time_out](engine::ClusterEngine& engine) {
    std::vector<engine::ProduceItem> items;
    items.push_back(item);
    return engine.produce(std::move(items), engine.loop().now() + time_out);
  };
  auto answer =
      co_await caller_.call<Outcomes>(broker_, std::move(request), time_out + Duration(500ms));
  --in_flight_;
  if (answer) {
    answers.spoil(answer->front());
    settle(*batch, answer->front(), is_next);
  } else {
    failed(*batch, weir::describe(answer.error()));
  }
  changed_.notify_all();
}

void Writer::settle(Batch& batch, const engine::ProduceOutcome& outcome, bool is_next) {
  using state::Refusal;
  if (outcome.ok()) {
    batch.stage = Stage::acknowledged;
    if (!gone()) checker_.acknowledged(batch.run, outcome.base_offset);
    return;
  }
  if (outcome.failure) return failed(batch, weir::describe(*outcome.failure));
  std::string why(state::to_string(outcome.refusal));
  switch (outcome.refusal) {
    case Refusal::unknown_topic:
    case Refusal::unknown_partition: checker_.refused_topic(options_.at, "a producer"); break;
    case Refusal::out_of_order_sequence:
    case Refusal::unknown_producer:
      // All before it was acknowledged when it was sent, so the state must know that.
      if (is_next) checker_.refused_next(batch.run, why);
      break;
    default: checker_.refused_next(batch.run, why); break;
  }
  failed(batch, std::move(why));
}

void Writer::failed(Batch& batch, std::string why) {
  batch.stage = Stage::waiting;
  batch.last_error = std::move(why);
  rt::Random& random = caller_.random();
  if (random.below(2) == 0) broker_ = caller_.any_broker();
  not_before_ = caller_.loop().now() + kRetryPause * static_cast<std::int64_t>(random.below(4));
}

std::string Writer::describe() const {
  std::string text = "stream " + std::to_string(stream_) + ": " + std::to_string(in_flight_) +
                     " in flight, " + std::to_string(window_.size()) + " in the window";
  if (!window_.empty())
    text += ", the first after " + std::to_string(window_.front()->attempts) +
            " attempts: " + window_.front()->last_error;
  return text;
}

}  // namespace weir::sim
