// EngineRun: the workload on engines, without the Kafka protocol.
//
// Phases: topics are made; clients work while the nemesis strikes; everything is mended, and within
// bounded time every writer must have been answered and every broker be ready and agree; then all
// brokers are killed once more, and each must serve everything from its cold start.
#pragma once

#include <memory>
#include <vector>

#include "tests/sim/admin.h"
#include "tests/sim/nemesis.h"
#include "tests/sim/readers.h"
#include "tests/sim/run.h"
#include "tests/sim/writer.h"

namespace weir::sim {

class EngineRun {
 public:
  explicit EngineRun(const RunOptions& options);
  Report run();

 private:
  void begin();
  void struggle();
  void recover();
  void check_members();
  void read_everything();
  void add_writers();
  WriterOptions draw_writer(PartitionRef at);
  /// Runs `task` on the clients' node; false if it has not ended within `limit`.
  bool run_task(rt::Task<void> task, Duration limit);
  /// Runs the world in small steps while `predicate` holds.
  bool run_while(const std::function<bool()>& predicate, Duration limit);
  bool all_ready();
  void tend();
  Report report();

  RunOptions options_;
  rt::sim::SimWorld world_;
  Checker checker_;
  std::string set_up_;
  std::unique_ptr<Cluster> cluster_;
  std::unique_ptr<Nemesis> nemesis_;
  rt::sim::SimNode* clients_ = nullptr;
  // Of the clients' process: leaked with it, as all that a process consists of.
  Topics* topics_ = nullptr;
  Caller* admin_caller_ = nullptr;
  Admin* admin_ = nullptr;
  Auditor* auditor_ = nullptr;
  std::vector<Reader*> readers_;
  std::vector<Writer*> writers_;
  /// For partitions below it (in the order of `live_partitions` over time) writers exist.
  std::map<PartitionRef, int> written_;
};

}  // namespace weir::sim
