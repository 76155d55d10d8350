// FakeEngine: engine/api.h in memory on one loop, with the switches that handler tests need:
// answers that wait, refusals, failures, and a record of the calls.
#pragma once

#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "broker/testing/fake_catalog.h"
#include "engine/api.h"
#include "rt/event.h"

namespace weir::broker::testing {

class FakeEngine final : public engine::Engine {
 public:
  using PartitionRef = state::PartitionRef;
  explicit FakeEngine(rt::Loop& loop) : loop_(loop), changed_(loop), gate_(loop) {}

  FakeCatalog state;
  /// While set, produce and create_topics wait after queueing.
  bool held = false;
  void release() {
    held = false;
    gate_.notify_all();
  }
  /// Every call fails so while set.
  std::optional<ErrorCode> failure;
  /// Asked before an append.
  std::function<state::Refusal(const engine::ProduceItem&)> refuse_produce;
  /// Runs before each alter_configs is judged, to lose a race.
  std::function<void()> before_alter;
  std::vector<PartitionRef> appended;
  int barriers = 0;
  int produce_calls = 0;
  std::size_t parked = 0;
  FeatureLevel level{1};

  rt::Loop& loop() override { return loop_; }
  const state::Catalog& catalog() const override { return state; }
  /// Where a test is about groups.
  engine::GroupApi* group_api = nullptr;
  engine::GroupApi& groups() override {
    ENSURE(group_api != nullptr);
    return *group_api;
  }
  engine::ConsumerGroupApi* consumer_group_api = nullptr;
  engine::ConsumerGroupApi& consumer_groups() override {
    ENSURE(consumer_group_api != nullptr);
    return *consumer_group_api;
  }
  engine::Status status() const override {
    return {
        .folded = Position(41), .feature_level = level, .ready = true, .parked_fetches = parked};
  }
  NodeId node_id() const override { return NodeId(1); }

  rt::Task<Result<void>> barrier(MonoTime) override {
    ++barriers;
    co_await rt::yield(loop_);
    if (failure) co_return fail(*failure, "told to fail");
    co_return Result<void>();
  }

  rt::Task<std::vector<engine::ProduceOutcome>> produce(std::vector<engine::ProduceItem> items,
                                                        MonoTime deadline) override {
    ++produce_calls;
    std::vector<engine::ProduceOutcome> out(items.size());
    for (std::size_t i = 0; i < items.size(); ++i) out[i] = append(items[i]);
    if (!co_await pass_gate(deadline)) {
      for (auto& o : out) o = {{.failure = Error{ErrorCode::timed_out, "held"}}};
      co_return out;
    }
    changed_.notify_all();
    co_return out;
  }

  rt::Task<std::vector<engine::FetchedPartition>> fetch(std::vector<engine::FetchItem> items,
                                                        engine::FetchOptions options,
                                                        const bool* cancelled) override {
    for (;;) {
      std::vector<engine::FetchedPartition> out;
      std::size_t bytes = 0;
      bool error = false;
      for (const engine::FetchItem& item : items) {
        out.push_back(read(item, options, bytes));
        bytes += out.back().records.size();
        error |= !out.back().ok();
      }
      const bool stop = cancelled != nullptr && *cancelled;
      if (error || stop || bytes >= options.bytes_min || loop_.now() >= options.deadline)
        co_return out;
      ++parked;
      co_await changed_.wait_until(options.deadline);
      --parked;
    }
  }
  void wake_parked() override { changed_.notify_all(); }

  rt::Task<std::vector<engine::TimestampAnswer>> find_timestamps(
      std::vector<engine::TimestampQuery> queries, MonoTime) override {
    std::vector<engine::TimestampAnswer> out(queries.size());
    for (std::size_t i = 0; i < queries.size(); ++i) {
      if (failure) {
        out[i].failure = Error{*failure, "told to fail"};
        continue;
      }
      std::int64_t best = -1;
      for (const Batch& b : logs_[queries[i].at]) {
        const bool max = queries[i].timestamp_ms == engine::kQueryMaxTimestamp;
        if (max ? b.max_timestamp <= best : b.max_timestamp < queries[i].timestamp_ms) continue;
        best = b.max_timestamp;
        out[i].offset = Offset(b.base);
        out[i].timestamp_ms = best;
        if (!max) break;
      }
    }
    co_return out;
  }

  rt::Task<std::vector<engine::CreateTopicOutcome>> create_topics(
      std::vector<engine::NewTopic> topics, MonoTime deadline) override {
    std::vector<engine::CreateTopicOutcome> out(topics.size());
    for (std::size_t i = 0; i < topics.size(); ++i) {
      if (failure) {
        out[i].failure = Error{*failure, "told to fail"};
      } else if (state.find(topics[i].name)) {
        out[i].refusal = state::Refusal::topic_exists;
      } else {
        out[i].id = state.add_topic(topics[i].name, topics[i].partitions, topics[i].configs);
        state.find(topics[i].name)->replication_factor = topics[i].replication_factor;
      }
    }
    co_await pass_gate(deadline);
    co_return out;
  }
  rt::Task<std::vector<engine::Outcome>> delete_topics(std::vector<TopicId> topics,
                                                       MonoTime) override {
    std::vector<engine::Outcome> out(topics.size());
    for (std::size_t i = 0; i < topics.size(); ++i) {
      if (state.find(topics[i]))
        state.remove_topic(topics[i]);
      else
        out[i].refusal = state::Refusal::unknown_topic;
    }
    co_await rt::yield(loop_);
    co_return out;
  }
  rt::Task<std::vector<engine::Outcome>> create_partitions(std::vector<engine::GrowTopic> topics,
                                                           MonoTime) override {
    std::vector<engine::Outcome> out(topics.size());
    for (std::size_t i = 0; i < topics.size(); ++i) state.grow(topics[i].id, topics[i].partitions);
    co_await rt::yield(loop_);
    co_return out;
  }
  rt::Task<std::vector<engine::Outcome>> alter_configs(std::vector<engine::AlterConfig> changes,
                                                       MonoTime) override {
    std::vector<engine::Outcome> out;
    for (const engine::AlterConfig& change : changes) {
      if (before_alter) before_alter();
      out.push_back(alter(change));
    }
    co_await rt::yield(loop_);
    co_return out;
  }
  rt::Task<std::vector<engine::DeleteRecordsOutcome>> delete_records(
      std::vector<engine::DeleteRecordsItem> items, MonoTime) override {
    std::vector<engine::DeleteRecordsOutcome> out(items.size());
    for (std::size_t i = 0; i < items.size(); ++i) {
      state::PartitionInfo* log = state.log(items[i].at);
      Offset before = items[i].before.value == -1 ? log->end : items[i].before;
      if (before > log->end) {
        out[i].refusal = state::Refusal::offset_out_of_range;
        continue;
      }
      log->start = std::max(log->start, before);
      out[i].log_start = log->start;
    }
    co_await rt::yield(loop_);
    co_return out;
  }
  rt::Task<engine::Outcome> raise_feature_level(FeatureLevel asked, MonoTime) override {
    co_await rt::yield(loop_);
    if (failure) co_return engine::Outcome{.failure = Error{*failure, "told to fail"}};
    level = asked;
    co_return engine::Outcome{};
  }
  rt::Task<engine::Outcome> expire_broker(NodeId node, MonoTime) override {
    co_await rt::yield(loop_);
    if (failure) co_return engine::Outcome{.failure = Error{*failure, "told to fail"}};
    co_return engine::Outcome{.refusal = state.remove_broker(node) ? state::Refusal::none
                                                                   : state::Refusal::not_found};
  }
  rt::Task<Result<ProducerId>> new_producer_id(MonoTime) override {
    co_await rt::yield(loop_);
    if (failure) co_return fail(*failure, "told to fail");
    co_return ProducerId(next_producer_++);
  }

 private:
  struct Batch {
    std::int64_t base;
    std::int32_t records;
    std::int64_t max_timestamp;
    SharedBytes bytes;
  };

  rt::Task<bool> pass_gate(MonoTime deadline) {
    while (held && loop_.now() < deadline) co_await gate_.wait_until(deadline);
    co_return !held;
  }

  engine::ProduceOutcome append(const engine::ProduceItem& item) {
    if (failure) return {{.failure = Error{*failure, "told to fail"}}};
    state::PartitionInfo* log = state.log(item.at);
    if (!log) return {{.refusal = state::Refusal::unknown_topic}};
    if (refuse_produce) {
      state::Refusal refusal = refuse_produce(item);
      if (refusal != state::Refusal::none) return {{.refusal = refusal}, Offset(-1), log->start};
    }
    SharedBytes copy = SharedBytes::copy_of(item.batch.view());
    const std::uint64_t wire = std::byteswap(static_cast<std::uint64_t>(log->end.value));
    std::memcpy(copy.mutable_view().data(), &wire, 8);
    logs_[item.at].push_back({log->end.value, item.info.records, item.info.max_timestamp_ms, copy});
    const Offset base = log->end;
    log->end = log->last_stable = Offset(base.value + item.info.records);
    log->bytes += item.batch.size();
    log->max_timestamp_ms = std::max(log->max_timestamp_ms, item.info.max_timestamp_ms);
    appended.push_back(item.at);
    return {{}, base, log->start};
  }

  engine::FetchedPartition read(const engine::FetchItem& item, const engine::FetchOptions& options,
                                std::size_t so_far) {
    engine::FetchedPartition out;
    if (failure) {
      out.failure = Error{*failure, "told to fail"};
      return out;
    }
    const state::PartitionInfo* log = state.log(item.at);
    if (!log) {
      out.refusal = state::Refusal::unknown_topic;
      return out;
    }
    out.info = *log;
    if (item.offset < log->start || item.offset > log->end) {
      out.refusal = state::Refusal::offset_out_of_range;
      return out;
    }
    for (const Batch& batch : logs_[item.at]) {
      if (batch.base + batch.records <= item.offset.value) continue;
      const std::size_t size = out.records.size() + batch.bytes.size();
      const bool first = so_far == 0 && out.records.empty();
      if (!first && (size > item.bytes_max || so_far + size > options.bytes_max)) break;
      out.records.append(batch.bytes);
    }
    return out;
  }

  engine::Outcome alter(const engine::AlterConfig& change) {
    if (failure) return {.failure = Error{*failure, "told to fail"}};
    if (change.resource == engine::ConfigResource::topic) {
      state::TopicInfo* topic = state.find(change.name);
      if (!topic) return {.refusal = state::Refusal::unknown_topic};
      if (change.guard_version != -1 && change.guard_version != topic->config_version)
        return {.refusal = state::Refusal::guard_mismatch};
      for (const auto& [key, value] : change.changes)
        FakeCatalog::change(topic->configs, key, value);
      ++topic->config_version;
      return {};
    }
    if (change.resource != engine::ConfigResource::broker) {
      const auto type = static_cast<state::ResourceType>(change.resource);
      if (change.guard_version != -1 &&
          change.guard_version != state.resource_config_version(type, change.name))
        return {.refusal = state::Refusal::guard_mismatch};
      for (const auto& [key, value] : change.changes)
        state.change_resource(type, change.name, key, value);
      return {};
    }
    const NodeId node(change.name.empty() ? -1 : std::stoi(change.name));
    if (change.guard_version != -1 && change.guard_version != state.broker_config_version(node))
      return {.refusal = state::Refusal::guard_mismatch};
    for (const auto& [key, value] : change.changes) state.change_broker_config(node, key, value);
    return {};
  }

  rt::Loop& loop_;
  rt::Event changed_;
  rt::Event gate_;
  std::map<PartitionRef, std::deque<Batch>> logs_;
  std::int64_t next_producer_ = 1000;
};

}  // namespace weir::broker::testing
