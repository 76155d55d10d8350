// BrokerProcess: what one simulated broker process consists of. Made with SimNode::make, so that it
// may be killed at any instant.
#pragma once

#include <memory>
#include <string>

#include "base/log.h"
#include "base/metrics.h"
#include "broker/broker.h"
#include "broker/memory_budget.h"
#include "broker/server.h"
#include "commitlog/file_log.h"
#include "engine/cluster_engine.h"
#include "engine/lock_file_witness.h"
#include "objstore/file/file_store.h"
#include "rt/sim/file_system.h"
#include "tests/sim/cluster.h"
#include "tests/sim/faulty_store.h"
#include "tests/sim/maintenance_canaries.h"

namespace weir::sim {

/// Prints with the virtual time, or nothing.
class SimLogger final : public Logger {
 public:
  SimLogger(rt::sim::SimNode& node, bool verbose) : node_(node), verbose_(verbose) {}
  void write(LogLevel level, std::string_view event,
             std::initializer_list<LogField> fields) override;

 private:
  rt::sim::SimNode& node_;
  bool verbose_;
};

class BrokerProcess {
 public:
  struct Shared {
    objstore::ObjectStore& store;
    commitlog::CommitLog& log;
    const Weather& weather;
  };
  BrokerProcess(rt::sim::SimNode& node, Shared shared, const ClusterOptions& options,
                engine::Options engine_options);

  /// Opens the storage and starts the engine. Afterwards `serving` or `failed`.
  rt::Task<void> run();
  rt::Task<void> stop(MonoTime deadline);
  engine::ClusterEngine* engine() { return engine_.get(); }
  bool serving() const { return serving_; }
  bool failed() const { return failed_; }
  bool stopped() const { return stopped_; }

 private:
  Result<void> open_files();
  Result<void> start_server();
  void open_memory(Shared shared);
  commitlog::CommitLog& log_of_engine();

  rt::sim::SimNode& node_;
  ClusterOptions options_;
  engine::Options engine_options_;
  SimLogger logger_;
  Metrics metrics_;
  MemoryPool cache_pool_;
  broker::MemoryBudget memory_;
  broker::config::StaticValues kafka_;
  std::unique_ptr<objstore::FileTree> tree_;
  std::unique_ptr<commitlog::FileLogDirectory> directory_;
  std::unique_ptr<objstore::ObjectStore> store_;
  std::unique_ptr<commitlog::CommitLog> log_;
  /// Around `log_`, with a canary of maintenance.
  std::unique_ptr<EarlyTruncationLog> early_log_;
  std::unique_ptr<SpoiledReplaceLog> spoiled_log_;
  std::unique_ptr<engine::LockFileWitness> witness_;
  engine::PeerWatch peers_;
  HastyConfigs hasty_configs_;
  std::unique_ptr<engine::ClusterEngine> engine_;
  std::unique_ptr<broker::Broker> broker_;
  std::unique_ptr<broker::Server> server_;
  bool serving_ = false;
  bool failed_ = false;
  bool stopped_ = false;
};

}  // namespace weir::sim
