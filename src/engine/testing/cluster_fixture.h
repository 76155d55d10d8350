// ClusterFixture: engines on a simulated world, and the words to talk to them.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "commitlog/memory_log.h"
#include "engine/testing/engine_node.h"
#include "objstore/memory_store.h"
#include "record/reader.h"
#include "record/validate.h"

namespace weir::engine::testing {

struct Producer {
  ProducerId id{-1};
  std::int32_t next_sequence = 0;
};

inline ProduceItem batch_of(PartitionRef at, std::vector<std::string> values,
                            Producer* producer = nullptr) {
  record::BatchOptions options;
  if (producer) {
    options.producer_id = producer->id;
    options.producer_epoch = ProducerEpoch(0);
    options.base_sequence = producer->next_sequence;
    producer->next_sequence += static_cast<std::int32_t>(values.size());
  }
  record::BatchBuilder builder(options);
  for (const std::string& value : values)
    builder.append({.timestamp = WallMillis(1'000), .value = as_bytes(value)});
  ProduceItem item;
  item.at = at;
  item.batch = std::move(builder).finish().value();
  item.info = record::validate_batch(item.batch.view(), {}).value();
  return item;
}

inline std::vector<std::string> values_of(const BytesChain& records,
                                          std::vector<std::int64_t>* offsets = nullptr) {
  std::vector<std::string> values;
  for (const SharedBytes& part : records.parts()) {
    record::BatchIterator batches(part.view());
    for (auto batch = batches.next(); batch && *batch; batch = batches.next()) {
      auto reader = record::RecordReader::open(**batch);
      EXPECT_TRUE(reader.has_value());
      if (!reader) return values;
      for (auto r = reader->next(); r && *r; r = reader->next()) {
        values.emplace_back(as_text((*r)->value.value_or(Bytes{})));
        if (offsets) offsets->push_back((*r)->offset.value);
      }
    }
  }
  return values;
}

class ClusterFixture : public ::testing::Test {
 protected:
  EngineNode& start(const std::string& host, Options options) {
    rt::sim::SimNode& node = world_.start_node({.host = host});
    EngineNode& engine =
        node.make<EngineNode>(node, SharedStores{store_, log_}, std::move(options));
    run(node, [](EngineNode& e, rt::Loop& loop) -> rt::Task<void> {
      auto started = co_await e->start(loop.now() + 10s);
      EXPECT_TRUE(started.has_value()) << (started ? "" : started.error().message);
    }(engine, node.loop()));
    return engine;
  }
  EngineNode& start(const std::string& host) { return start(host, quick_options(host)); }

  /// Runs `task` on the node until it ends.
  void run(rt::sim::SimNode& node, rt::Task<void> task) {
    bool done = false;
    auto wrapped = [](rt::Task<void> inner, bool* flag) -> rt::Task<void> {
      co_await std::move(inner);
      *flag = true;
    };
    node.spawn(wrapped(std::move(task), &done));
    EXPECT_TRUE(world_.run_while([&] { return !done; }, 120s)) << "the task did not end";
  }
  template <class T>
  T get(rt::sim::SimNode& node, rt::Task<T> task) {
    std::optional<T> result;
    auto keep = [](rt::Task<T> inner, std::optional<T>* out) -> rt::Task<void> {
      out->emplace(co_await std::move(inner));
    };
    run(node, keep(std::move(task), &result));
    return std::move(*result);
  }
  rt::sim::SimNode& node(const std::string& host) { return *world_.node(host); }
  MonoTime soon(const std::string& host) { return node(host).loop().now() + 10s; }

  TopicId create_topic(const std::string& host, EngineNode& engine, std::string name,
                       std::int32_t partitions = 1) {
    auto made =
        get(node(host), engine->create_topics({{std::move(name), partitions, 1, {}}}, soon(host)));
    EXPECT_TRUE(made.front().ok());
    return made.front().id;
  }
  ProduceOutcome produce(const std::string& host, EngineNode& engine, ProduceItem item) {
    std::vector<ProduceItem> items;
    items.push_back(std::move(item));
    return get(node(host), engine->produce(std::move(items), soon(host))).front();
  }
  FetchedPartition fetch(const std::string& host, EngineNode& engine, PartitionRef at, Offset from,
                         std::uint32_t bytes = 1u << 20, Duration wait = 0ms) {
    FetchOptions options;
    options.bytes_max = bytes;
    options.deadline = node(host).loop().now() + wait;
    return get(node(host), engine->fetch({{at, from, bytes}}, options, nullptr)).front();
  }

  rt::sim::SimWorld world_{42};
  objstore::MemoryStore store_;
  commitlog::MemoryLog log_;
};

}  // namespace weir::engine::testing
