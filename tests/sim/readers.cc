#include "tests/sim/readers.h"

#include <algorithm>

#include "base/narrow.h"

namespace weir::sim {

namespace {

constexpr Duration kTimeOut = 4s;
constexpr Duration kPause = 100ms;
using Fetched = std::vector<engine::FetchedPartition>;

Request<Fetched> fetch_request(std::vector<engine::FetchItem> items, engine::FetchOptions options,
                               Duration wait) {
  return [items = std::move(items), options, wait](engine::ClusterEngine& engine) mutable {
    options.deadline = engine.loop().now() + wait;
    return engine.fetch(std::move(items), options, nullptr);
  };
}

/// Tells the checker of one answer. The offset behind it, or -1.
Offset tell(Caller& caller, Checker::Poll poll, const engine::FetchedPartition& answer) {
  Checker& checker = caller.cluster().checker();
  std::string why;
  poll.next = poll.asked;
  poll.now_ms = caller.loop().wall_now().value;
  if (!read_batches(answer.records, poll.records, poll.next, why)) {
    checker.report(Violation::altered, poll.reader + ": " + why);
    return Offset(-1);
  }
  checker.polled(poll);
  return poll.next;
}

void tell_failure(Checker& checker, const std::string& reader, PartitionRef at, Offset asked,
                  const Error& failure) {
  if (failure.is(ErrorCode::corrupt))
    checker.report(Violation::corrupt, reader + ": offset " + std::to_string(asked.value) + " of " +
                                           at.topic.hex() + ": " + describe(failure));
}

}  // namespace

Reader::Items Reader::choose_items() {
  rt::Random& random = caller_.random();
  std::vector<PartitionRef> live = topics_.live_partitions();
  Items items;
  for (const PartitionRef& at : live) {
    if (random.below(3) == 0) continue;
    auto bytes = narrow<std::uint32_t>(200 + random.below(20'000));
    items.push_back({at, positions_.try_emplace(at, Offset(0)).first->second, bytes});
  }
  return items;
}

void Reader::wander() {
  rt::Random& random = caller_.random();
  if (random.below(10) == 0) broker_ = caller_.any_broker();
  if (random.below(60) != 0) return;
  for (auto& [at, position] : positions_)
    position = Offset(
        static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(position.value) + 1)));
}

rt::Task<void> Reader::run() {
  while (!finishing_) {
    wander();
    co_await poll();
  }
  done_ = true;
}

rt::Task<void> Reader::poll() {
  Checker& checker = caller_.cluster().checker();
  rt::Random& random = caller_.random();
  Items items = choose_items();
  std::vector<Checker::Known> before;
  for (const engine::FetchItem& item : items) before.push_back(checker.known(item.at));
  if (items.empty()) {
    co_await rt::sleep_for(caller_.loop(), kPause);
    co_return;
  }
  engine::FetchOptions options;
  options.bytes_min = random.below(4) == 0 ? 1 : narrow<std::uint32_t>(random.below(3'000));
  options.bytes_max = narrow<std::uint32_t>(1'000 + random.below(60'000));
  Duration wait = Duration(1ms) * static_cast<std::int64_t>(random.below(800));
  auto answers =
      co_await caller_.call<Fetched>(broker_, fetch_request(items, options, wait), wait + kTimeOut);
  if (!answers) {
    broker_ = caller_.any_broker();
    co_await rt::sleep_for(caller_.loop(), kPause);
    co_return;
  }
  std::string who = name_ + " on b" + std::to_string(broker_ + 1);
  for (std::size_t i = 0; i < items.size(); ++i) {
    engine::FetchedPartition& answer = (*answers)[i];
    const engine::FetchItem& item = items[i];
    if (!topics_.is_live(item.at.topic)) continue;
    // Elsewhere the checker would call it a hole.
    CanaryAnswers& answers_of_canary = caller_.cluster().answers();
    if (answers_of_canary.canary() != Canary::value_dropped || checker.may_be_compacted(item.at))
      answers_of_canary.spoil(answer);
    answers_of_canary.remember(item.at, answer);
    if (answer.failure) {
      tell_failure(checker, who, item.at, item.offset, *answer.failure);
    } else if (answer.refusal == state::Refusal::offset_out_of_range) {
      checker.refused_range(item.at, item.offset, before[i], who);
      positions_[item.at] = answer.info.start;
    } else if (answer.refusal != state::Refusal::none) {
      checker.refused_topic(item.at, who);
    } else {
      Offset next = tell(
          caller_, {.reader = who, .at = item.at, .asked = item.offset, .records = {}}, answer);
      if (next.value >= 0) positions_[item.at] = next;
    }
  }
}

rt::Task<Look> look_at(engine::ClusterEngine& engine, PartitionRef at, Duration time_out) {
  Look look;
  look.proved = co_await engine.barrier(engine.loop().now() + time_out);
  look.topic_known = engine.catalog().topic(at.topic) != nullptr;
  look.partition = engine.catalog().partition(at);
  for (const state::BrokerInfo& broker : engine.catalog().brokers())
    look.brokers.push_back(broker.node_id);
  look.folded = engine.status().folded;
  co_return look;
}

rt::Task<void> Auditor::look() {
  Checker& checker = caller_.cluster().checker();
  std::vector<PartitionRef> live = topics_.live_partitions();
  if (live.empty()) co_return;
  PartitionRef at = live[caller_.random().below(live.size())];
  Checker::Known before = checker.known(at);
  std::size_t broker = caller_.any_broker();
  Request<Look> request = [at](engine::ClusterEngine& engine) {
    return look_at(engine, at, kTimeOut);
  };
  auto answer = co_await caller_.call<Look>(broker, std::move(request), kTimeOut);
  if (!answer || !answer->proved) co_return;
  std::string who = "auditor on b" + std::to_string(broker + 1);
  if (!answer->partition)
    checker.refused_topic(at, who);
  else if (topics_.is_live(at.topic))
    checker.answered_end(at, answer->partition->end, before, who);
}

rt::Task<void> Auditor::run() {
  while (!finishing_) {
    co_await look();
    auto pause = Duration(1ms) * static_cast<std::int64_t>(caller_.random().below(200));
    co_await rt::sleep_for(caller_.loop(), pause);
  }
  done_ = true;
}

rt::Task<Result<void>> read_all(Caller& caller, std::size_t broker, PartitionRef at) {
  Checker& checker = caller.cluster().checker();
  Request<Look> look = [at](engine::ClusterEngine& engine) {
    return look_at(engine, at, kTimeOut);
  };
  auto where = co_await caller.call<Look>(broker, std::move(look), kTimeOut);
  if (!where) co_return std::unexpected(where.error());
  if (!where->proved) co_return where->proved;
  std::string who = "final reader on b" + std::to_string(broker + 1);
  if (!where->partition) {
    checker.refused_topic(at, who);
    co_return Result<void>();
  }
  Offset position = where->partition->start;
  Offset end = where->partition->end;
  checker.final_reading_begins(at);
  engine::FetchOptions options;
  options.bytes_max = 1u << 20;
  while (position < end) {
    auto answers = co_await caller.call<Fetched>(
        broker, fetch_request({{at, position, 1u << 18}}, options, 0ms), kTimeOut);
    if (!answers) co_return std::unexpected(answers.error());
    engine::FetchedPartition& answer = answers->front();
    if (answer.failure) {
      tell_failure(checker, who, at, position, *answer.failure);
      if (answer.failure->is(ErrorCode::corrupt)) co_return Result<void>();
      co_return std::unexpected(*answer.failure);
    }
    if (answer.refusal != state::Refusal::none) {
      checker.report(Violation::stale_refusal,
                     who + ": " + std::string(state::to_string(answer.refusal)));
      co_return Result<void>();
    }
    caller.cluster().answers().spoil_final(at, position, answer);
    Offset next = tell(
        caller, {.reader = who, .at = at, .asked = position, .records = {}, .final = true}, answer);
    if (next <= position) {
      checker.report(
          Violation::skipping_poll,
          who + ": nothing at offset " + std::to_string(position.value) + " before the end");
      co_return Result<void>();
    }
    position = next;
  }
  checker.ended(at, where->partition->start, end, where->partition->compacted_to);
  co_return Result<void>();
}

}  // namespace weir::sim
