#include "perf/fetch_share.h"

#include <algorithm>

#include "base/narrow.h"
#include "client/kafka_error.h"
#include "perf/limits.h"

namespace weir::perf {
namespace {

// From version 13 on topics are named by id.
constexpr std::int16_t kNamesVersionMax = 12;
// Kafka's codes for a session that the broker has dropped, as it may at any time.
constexpr std::int16_t kFetchSessionIdNotFound = 70;
constexpr std::int16_t kInvalidFetchSessionEpoch = 71;

}  // namespace

rt::Task<Result<void>> FetchShare::place(std::int64_t begin, MonoTime deadline) {
  auto first =
      co_await list_offsets(share_, {.topic = topic_, .time = begin, .deadline = deadline});
  if (!first) co_return std::unexpected(first.error());
  auto end =
      co_await list_offsets(share_, {.topic = topic_, .time = kLatest, .deadline = deadline});
  if (!end) co_return std::unexpected(end.error());
  for (std::size_t i = 0; i < share_.partitions.size(); ++i) {
    partitions_.push_back({.index = share_.partitions[i], .next = (*first)[i], .end = (*end)[i]});
    by_index_[share_.partitions[i]] = i;
    order_.push_back(i);
    if ((*first)[i] < (*end)[i]) ++behind_;
  }
  co_return Result<void>();
}

wire::FetchRequest FetchShare::request() {
  wire::FetchRequest request;
  request.max_wait_ms = narrow<std::int32_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(kFetchWait).count());
  request.min_bytes = 1;
  request.max_bytes = kFetchBytesMax;
  request.session_id = session_;
  request.session_epoch = session_epoch_;
  std::vector<wire::FetchRequest::FetchPartition> changed;
  for (std::size_t at : order_) {
    Partition& each = partitions_[at];
    if (each.told == each.next) continue;
    each.told = each.next;
    changed.push_back({.partition = each.index.value,
                       .fetch_offset = each.next.value,
                       .partition_max_bytes = kFetchPartitionBytesMax});
  }
  if (!changed.empty()) {
    auto& topic = request.topics.emplace_back();
    topic.topic = topic_;
    topic.partitions = std::move(changed);
  }
  return request;
}

/// What the answer says of the session. False if there is none any more: everything is asked anew.
bool FetchShare::follow_session(const wire::FetchResponse& answer) {
  const bool lost = answer.error_code == kFetchSessionIdNotFound ||
                    answer.error_code == kInvalidFetchSessionEpoch;
  session_ = lost ? 0 : answer.session_id;
  session_epoch_ = session_ == 0 ? 0 : session_epoch_ == INT32_MAX ? 1 : session_epoch_ + 1;
  if (session_ == 0)
    for (Partition& each : partitions_) each.told = Offset(-1);
  return !lost;
}

rt::Task<Result<Outcome>> FetchShare::round(const Visit& visit, MonoTime deadline) {
  Result<wire::FetchResponse> answer = co_await share_.connection->call(
      request(), {.deadline = deadline, .version_max = kNamesVersionMax});
  if (!answer) co_return std::unexpected(answer.error());
  Outcome taken;
  taken.requests = 1;
  if (!follow_session(*answer)) co_return taken;
  if (answer->error_code != 0) co_return std::unexpected(client::to_error(answer->error_code));
  WEIR_CO_TRY(take_all(*answer, visit, taken));
  co_return taken;
}

Result<void> FetchShare::take_all(const wire::FetchResponse& answer, const Visit& visit,
                                  Outcome& taken) {
  for (Partition& each : partitions_) each.read = false;
  for (const auto& topic : answer.responses)
    for (const auto& data : topic.partitions) {
      const std::string name = topic_ + " partition " + std::to_string(data.partition_index);
      if (data.error_code != 0) return with_context(client::to_error(data.error_code), name);
      if (!data.records || data.records->empty()) continue;
      auto at = by_index_.find(PartitionIndex(data.partition_index));
      if (at == by_index_.end()) return fail(ErrorCode::corrupt, name + " was not asked for");
      Partition& partition = partitions_[at->second];
      partition.read = true;
      Result<void> took = take(partition, *data.records, visit, taken);
      if (!took) return with_context(took.error(), name);
    }
  if (session_ == 0) rotate();
  return {};
}

Result<void> FetchShare::take(Partition& partition, const BytesChain& records, const Visit& visit,
                              Outcome& taken) {
  const bool was_behind = partition.next < partition.end;
  const SharedBytes region = records.flatten();
  record::BatchIterator batches(region.view());
  for (;;) {
    auto batch = batches.next();
    // An answer may end inside of a batch.
    if (!batch && batch.error() == record::BatchError::cut_off) break;
    if (!batch) return fail(ErrorCode::corrupt, "a damaged batch");
    if (!*batch) break;
    const record::BatchView& view = **batch;
    if (view.base_offset() > partition.next || view.last_offset() < partition.next)
      return fail(ErrorCode::corrupt, "a batch at " + std::to_string(view.base_offset().value) +
                                          " where " + std::to_string(partition.next.value) +
                                          " was asked for");
    if (visit) WEIR_TRY(visit(view, partition.next));
    taken.records +=
        static_cast<std::uint64_t>(view.last_offset().value - partition.next.value + 1);
    taken.batch_bytes += view.size();
    partition.next = view.last_offset().next();
  }
  if (was_behind && partition.next >= partition.end) --behind_;
  return {};
}

void FetchShare::rotate() {
  std::ranges::stable_partition(order_, [this](std::size_t at) { return !partitions_[at].read; });
}

}  // namespace weir::perf
