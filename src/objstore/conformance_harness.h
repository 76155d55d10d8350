// For tests only: how the conformance suites reach a store or a log, and run tasks against it.
//
// A harness stands for one object store that several clients (brokers) use at once. It decides
// where tasks run: in a simulated process, or on a real loop with real worker threads.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "objstore/object_store.h"
#include "rt/loop.h"
#include "rt/scope.h"
#include "rt/sim/node.h"
#include "rt/sim/world.h"
#include "rt/task.h"

namespace weir::objstore {

/// Where the tasks of a test run.
class TaskRunner {
 public:
  virtual ~TaskRunner() = default;
  virtual rt::Loop& loop() = 0;
  /// Runs them beside each other until all have ended.
  virtual void run(std::vector<rt::Task<void>> tasks) = 0;
};

/// Runs tasks as one process of a simulated world.
class SimRunner final : public TaskRunner {
 public:
  explicit SimRunner(std::uint64_t seed) : world_(seed), node_(world_.start_node({"a"})) {}
  ~SimRunner() override { node_.exit(); }

  rt::Loop& loop() override { return node_.loop(); }
  rt::sim::SimWorld& world() { return world_; }
  rt::sim::SimNode& node() { return node_; }
  void run(std::vector<rt::Task<void>> tasks) override {
    for (rt::Task<void>& task : tasks) node_.spawn(std::move(task));
    bool ended = world_.run_while([&] { return node_.running() != 0; }, 1h);
    ASSERT_TRUE(ended) << "tasks hang";
  }

 private:
  rt::sim::SimWorld world_;
  rt::sim::SimNode& node_;
};

class StoreHarness {
 public:
  static constexpr std::size_t kClients = 16;
  virtual ~StoreHarness() = default;
  virtual TaskRunner& runner() = 0;
  /// Client i of the one store, 0 … kClients-1.
  virtual ObjectStore& client(std::size_t i) = 0;
};

using StoreHarnessMaker = std::unique_ptr<StoreHarness> (*)();

/// Runs one task that yields a value, to its end.
template <class T>
T run_one(TaskRunner& runner, rt::Task<T> task) {
  std::optional<T> result;
  struct Keep {
    static rt::Task<void> run(rt::Task<T> inner, std::optional<T>& out) {
      out.emplace(co_await std::move(inner));
    }
  };
  std::vector<rt::Task<void>> tasks;
  tasks.push_back(Keep::run(std::move(task), result));
  runner.run(std::move(tasks));
  ENSURE(result.has_value());
  return std::move(*result);
}

/// Runs tasks beside each other; the results are in their order.
template <class T>
std::vector<T> run_all(TaskRunner& runner, std::vector<rt::Task<T>> tasks) {
  std::vector<std::optional<T>> results(tasks.size());
  struct Keep {
    static rt::Task<void> run(rt::Task<T> inner, std::optional<T>& out) {
      out.emplace(co_await std::move(inner));
    }
  };
  std::vector<rt::Task<void>> started;
  for (std::size_t i = 0; i < tasks.size(); ++i)
    started.push_back(Keep::run(std::move(tasks[i]), results[i]));
  runner.run(std::move(started));
  std::vector<T> values;
  for (std::optional<T>& result : results) values.push_back(std::move(result.value()));
  return values;
}

/// `size` random bytes, the same for the same seed.
inline std::string pattern_bytes(std::size_t size, std::uint64_t seed) {
  rt::SeededRandom random(seed);
  std::string bytes(size, '\0');
  for (std::size_t at = 0; at < size; at += 8) {
    std::uint64_t word = random.next();
    std::memcpy(bytes.data() + at, &word, std::min<std::size_t>(8, size - at));
  }
  return bytes;
}

inline BytesChain chain_of(std::string_view text) {
  return BytesChain(SharedBytes::copy_of(as_bytes(text)));
}

}  // namespace weir::objstore
