#include "perf/raw_producer.h"

#include <algorithm>

#include "perf/limits.h"

namespace weir::perf {

RawProducer::RawProducer(Links& links, const ProduceOptions& options)
    : links_(links),
      options_(options),
      loop_(links.cluster().loop()),
      schedule_(loop_.now(), 0),
      begun_(loop_.now()) {}

rt::Task<Result<void>> RawProducer::prepare() {
  Result<RawBatches> batches = RawBatches::make({.payload = options_.payload,
                                                 .batch_bytes = options_.batch_bytes,
                                                 .codec = options_.codec,
                                                 .timestamp = loop_.wall_now(),
                                                 .seed = options_.seed});
  if (!batches) co_return std::unexpected(batches.error());
  batches_ = std::move(*batches);
  std::size_t per_request = options_.partitions_per_request;
  if (per_request == 0)
    per_request = std::max<std::size_t>(1, kRequestBytesMax / options_.batch_bytes);
  for (Share& share : links_.shares()) {
    Lane lane{.connection = share.connection.get(), .requests = {}};
    ProducerIdentity producer;
    if (options_.idempotent) {
      auto made = co_await init_producer(loop_, *share.connection, loop_.now() + options_.timeout);
      if (!made) co_return std::unexpected(made.error());
      producer = *made;
    }
    for (std::size_t i = 0; i < share.partitions.size(); ++i) {
      if (i % per_request == 0) lane.requests.emplace_back();
      lane.requests.back().push_back({.index = share.partitions[i], .producer = producer});
    }
    lanes_.push_back(std::move(lane));
  }
  co_return Result<void>();
}

std::size_t RawProducer::request_payload() const {
  std::size_t targets = 0, requests = 0;
  for (const Lane& lane : lanes_)
    for (const auto& request : lane.requests) {
      targets += request.size();
      ++requests;
    }
  return batches_.payload_bytes(0) * targets / requests;
}

rt::Task<Result<Outcome>> RawProducer::run() {
  WEIR_CO_TRY(co_await prepare());
  const auto rate = static_cast<double>(options_.bytes_per_second);
  begun_ = loop_.now();
  schedule_ = Schedule(begun_, rate / static_cast<double>(request_payload()));
  rt::Scope scope(loop_);
  for (std::size_t i = 0; i < options_.window; ++i)
    for (Lane& lane : lanes_) scope.spawn(work(lane));
  co_await scope.join();
  if (failure_) co_return std::unexpected(*failure_);
  outcome_.took = loop_.now() - begun_;
  co_return std::move(outcome_);
}

bool RawProducer::goes_on() const {
  if (failure_ || links_.cluster().is_shut()) return false;
  if (options_.amount.bytes && claimed_bytes_ >= *options_.amount.bytes) return false;
  return !options_.amount.time || loop_.now() - begun_ < *options_.amount.time;
}

RawProducer::Parcel RawProducer::next_parcel(Lane& lane) {
  Parcel parcel;
  std::vector<Target>& targets = lane.requests[lane.next++ % lane.requests.size()];
  parcel.batches.reserve(targets.size());
  for (Target& target : targets) {
    const std::size_t i = next_batch_++ % batches_.size();
    parcel.batches.emplace_back(
        target.index,
        target.producer.id.value < 0
            ? batches_.plain(i)
            : batches_.stamped(i, {target.producer.id, target.producer.epoch, target.sequence}));
    target.sequence = advance_sequence(target.sequence, batches_.records(i));
    parcel.records += static_cast<std::uint64_t>(batches_.records(i));
    parcel.batch_bytes += batches_.bytes(i);
    parcel.payload_bytes += batches_.payload_bytes(i);
  }
  return parcel;
}

rt::Task<void> RawProducer::work(Lane& lane) {
  while (goes_on()) {
    const std::uint64_t number = claimed_++;
    if (schedule_.paced()) {
      const MonoTime due = schedule_.due(number);
      if (options_.amount.time && due - begun_ >= *options_.amount.time) break;
      // Not after the last request: the pause between two requests is as long as the user said.
      if (due > loop_.now()) co_await rt::sleep_until(loop_, due);
      if (!goes_on()) break;
    }
    // Sequences are given when the request goes, so they go in order.
    const MonoTime begun = schedule_.paced() ? schedule_.due(number) : loop_.now();
    Parcel parcel = next_parcel(lane);
    claimed_bytes_ += parcel.payload_bytes;
    Result<void> done = co_await call_produce(*lane.connection, options_, std::move(parcel.batches),
                                              loop_.now() + options_.timeout);
    if (!done) {
      if (!failure_) failure_ = done.error();
      break;
    }
    outcome_.latency.record(loop_.now() - begun);
    outcome_.records += parcel.records;
    outcome_.batch_bytes += parcel.batch_bytes;
    outcome_.payload_bytes += parcel.payload_bytes;
    ++outcome_.requests;
  }
}

}  // namespace weir::perf
