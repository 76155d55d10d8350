// EngineNode: a ClusterEngine as one simulated process, for tests.
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "base/log.h"
#include "commitlog/commit_log.h"
#include "engine/cluster_engine.h"
#include "objstore/object_store.h"
#include "record/builder.h"
#include "rt/sim/node.h"
#include "rt/sim/world.h"

namespace weir::engine::testing {

/// Store and log are shared by the brokers of a cluster and outlive them.
struct SharedStores {
  objstore::ObjectStore& store;
  commitlog::CommitLog& log;
};

inline Options quick_options(std::string host) {
  Options options;
  options.endpoints.push_back({"PLAINTEXT", "plaintext", std::move(host), 9092});
  options.software_version = "test";
  options.snapshot_entries = 50;
  options.snapshot_interval_min = 1s;
  return options;
}

/// Prints warnings and errors, so that a failing test says why.
class LoudLogger final : public Logger {
 public:
  void write(LogLevel level, std::string_view event,
             std::initializer_list<LogField> fields) override {
    if (level >= LogLevel::warn)
      std::fprintf(stderr, "%s\n", format_log_line(event, fields).c_str());
  }
};

/// Everything that one broker process consists of; made with SimNode::make, so that it may be
/// killed.
class EngineNode {
 public:
  EngineNode(rt::sim::SimNode& node, SharedStores stores, Options options,
             std::size_t cache_bytes = 64u << 20, PeerWatch* peers = nullptr)
      : cache_pool_("cache", cache_bytes),
        engine_({.loop = node.loop(),
                 .random = node.random(),
                 .store = stores.store,
                 .log = stores.log,
                 .cache_pool = cache_pool_,
                 .witness = nullptr,
                 .logger = logger_,
                 .metrics = metrics_,
                 .peers = peers},
                std::move(options)) {}
  ClusterEngine& operator*() { return engine_; }
  ClusterEngine* operator->() { return &engine_; }
  Metrics& metrics() { return metrics_; }

 private:
  LoudLogger logger_;
  Metrics metrics_;
  MemoryPool cache_pool_;
  ClusterEngine engine_;
};

}  // namespace weir::engine::testing
