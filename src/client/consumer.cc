#include "client/consumer.h"

#include <algorithm>

#include "base/narrow.h"
#include "client/kafka_error.h"

namespace weir::client {
namespace {

std::int32_t milliseconds(Duration d) {
  return narrow<std::int32_t>(std::chrono::duration_cast<std::chrono::milliseconds>(d).count());
}

/// The offset behind the last whole batch, or `from` if there is none.
Offset end_of(const SharedBytes& batches, Offset from) {
  record::BatchIterator iterator(batches.view());
  Offset next = from;
  for (;;) {
    record::Checked<std::optional<record::BatchView>> batch = iterator.next();
    if (!batch || !*batch) return next;
    next = std::max(next, (*batch)->last_offset().next());
  }
}

std::string name_of(const TopicPartition& at) {
  return at.topic + " partition " + std::to_string(at.partition.value);
}

}  // namespace

/// What the tasks of one round gather.
struct Consumer::Round {
  MonoTime deadline;
  std::vector<Fetched> fetched;
  /// May pass.
  std::optional<Error> trouble;
  /// Does not.
  std::optional<Error> failure;
};

Consumer::Consumer(Cluster& cluster, ConsumerOptions options)
    : cluster_(cluster), loop_(cluster.loop()), options_(options) {}

rt::Task<Result<Offset>> Consumer::find_offset(TopicPartition at, std::int64_t timestamp_ms,
                                               MonoTime deadline) {
  for (int attempt = 0;; ++attempt) {
    Result<TopicMetadata> topic = co_await cluster_.topic(at.topic, deadline);
    if (!topic) co_return std::unexpected(topic.error());
    if (at.partition.value < 0 ||
        narrow<std::size_t>(at.partition.value) >= topic->partitions.size())
      co_return fail(ErrorCode::not_found, "there is no " + name_of(at));
    wire::ListOffsetsRequest request;
    request.replica_id = -1;
    request.isolation_level = options_.read_committed ? 1 : 0;
    auto& item = request.topics.emplace_back();
    item.name = at.topic;
    item.partitions.push_back({.partition_index = at.partition.value, .timestamp = timestamp_ms});
    NodeId leader = topic->partitions[narrow<std::size_t>(at.partition.value)].leader;
    Result<wire::ListOffsetsResponse> answer =
        co_await cluster_.call(leader, std::move(request),
                               {.deadline = std::min(deadline, loop_.now() + kRequestTimeout)});
    Error error;
    bool again = false;
    if (!answer) {
      error = answer.error();
      again = is_retriable(error);
    } else if (answer->topics.empty() || answer->topics.front().partitions.empty()) {
      co_return fail(ErrorCode::corrupt, "the answer to ListOffsets names no partition");
    } else {
      const auto& result = answer->topics.front().partitions.front();
      if (result.error_code == 0) co_return Offset(result.offset);
      error = to_error(result.error_code);
      again = traits_of(result.error_code).retriable;
    }
    cluster_.forget(at.topic);
    if (!again || !co_await cluster_.pause(attempt, deadline))
      co_return with_context(error, name_of(at));
  }
}

rt::Task<Result<std::map<NodeId, std::vector<TopicPartition>>>> Consumer::by_leader(
    MonoTime deadline) {
  std::map<NodeId, std::vector<TopicPartition>> groups;
  std::vector<TopicPartition> all;
  all.reserve(positions_.size());
  for (const auto& [at, offset] : positions_) all.push_back(at);
  if (!all.empty())
    std::rotate(all.begin(), all.begin() + narrow<std::ptrdiff_t>(rounds_ % all.size()), all.end());
  for (const TopicPartition& at : all) {
    const TopicMetadata* topic = cluster_.find(at.topic);
    if (!topic) {
      Result<TopicMetadata> asked = co_await cluster_.topic(at.topic, deadline);
      if (!asked) co_return std::unexpected(asked.error());
      topic = cluster_.find(at.topic);
    }
    auto index = narrow<std::size_t>(at.partition.value);
    if (!topic || index >= topic->partitions.size())
      co_return fail(ErrorCode::not_found, "there is no " + name_of(at));
    groups[topic->partitions[index].leader].push_back(at);
  }
  co_return groups;
}

rt::Task<Result<std::vector<Fetched>>> Consumer::poll(MonoTime deadline) {
  for (int attempt = 0;; ++attempt) {
    Round round{.deadline = deadline};
    auto groups = co_await by_leader(deadline);
    if (groups) {
      ++rounds_;
      rt::Scope scope(loop_);
      for (auto& [leader, partitions] : *groups)
        scope.spawn(fetch(leader, std::move(partitions), round));
      co_await scope.join();
    } else if (is_retriable(groups.error())) {
      round.trouble = groups.error();
    } else {
      co_return std::unexpected(groups.error());
    }
    if (round.failure) co_return std::unexpected(*round.failure);
    // Partitions in trouble are asked again by the next poll.
    if (!round.trouble || !round.fetched.empty()) co_return std::move(round.fetched);
    if (!co_await cluster_.pause(attempt, deadline)) co_return std::unexpected(*round.trouble);
  }
}

wire::FetchRequest Consumer::request_for(const std::vector<TopicPartition>& partitions) const {
  wire::FetchRequest request;
  request.max_wait_ms = milliseconds(options_.wait);
  request.min_bytes = 1;
  request.max_bytes = narrow<std::int32_t>(options_.bytes_max);
  request.isolation_level = options_.read_committed ? 1 : 0;
  for (const TopicPartition& at : partitions) {
    if (request.topics.empty() || request.topics.back().topic != at.topic)
      request.topics.emplace_back().topic = at.topic;
    auto& item = request.topics.back().partitions.emplace_back();
    item.partition = at.partition.value;
    item.fetch_offset = positions_.at(at).value;
    item.partition_max_bytes = narrow<std::int32_t>(options_.partition_bytes_max);
  }
  return request;
}

rt::Task<void> Consumer::fetch(NodeId leader, std::vector<TopicPartition> partitions,
                               Round& round) {
  // From version 13 on topics are named by id.
  constexpr std::int16_t kNamesVersionMax = 12;
  MonoTime deadline = std::min(round.deadline, loop_.now() + options_.wait + kRequestTimeout);
  Result<wire::FetchResponse> answer = co_await cluster_.call(
      leader, request_for(partitions), {.deadline = deadline, .version_max = kNamesVersionMax});
  if (answer && answer->error_code != 0) answer = std::unexpected(to_error(answer->error_code));
  if (answer) {
    take(*answer, round);
    co_return;
  }
  for (const TopicPartition& at : partitions) cluster_.forget(at.topic);
  if (is_retriable(answer.error()))
    round.trouble = answer.error();
  else
    round.failure = answer.error();
}

void Consumer::take(const wire::FetchResponse& answer, Round& round) {
  for (const auto& topic : answer.responses)
    for (const auto& result : topic.partitions) {
      TopicPartition at{topic.topic, PartitionIndex(result.partition_index)};
      auto position = positions_.find(at);
      if (position == positions_.end()) continue;
      if (result.error_code != 0) {
        KafkaErrorTraits traits = traits_of(result.error_code);
        Error error = to_error(result.error_code);
        error.message = name_of(at) + " at offset " + std::to_string(position->second.value) +
                        ": " + error.message;
        if (traits.refresh_metadata) cluster_.forget(topic.topic);
        (traits.retriable ? round.trouble : round.failure) = std::move(error);
        continue;
      }
      if (!result.records || result.records->empty()) continue;
      Fetched fetched{.at = at,
                      .from = position->second,
                      .high_watermark = Offset(result.high_watermark),
                      .log_start = Offset(result.log_start_offset),
                      .batches = result.records->flatten()};
      if (result.aborted_transactions)
        for (const auto& aborted : *result.aborted_transactions)
          fetched.aborted.emplace_back(ProducerId(aborted.producer_id),
                                       Offset(aborted.first_offset));
      fetched.next = end_of(fetched.batches, fetched.from);
      position->second = fetched.next;
      round.fetched.push_back(std::move(fetched));
    }
}

}  // namespace weir::client
