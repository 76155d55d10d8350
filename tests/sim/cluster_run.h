// ClusterRun: the workload on engines, or, with Kafka clients, on whole brokers.
//
// Phases: topics are made; clients work while the nemesis strikes; everything is mended, and within
// bounded time every writer must have been answered and every broker be ready and agree; then all
// brokers are killed once more, and each must serve everything from its cold start.
#pragma once

#include <memory>
#include <set>
#include <vector>

#include "tests/sim/admin.h"
#include "tests/sim/consumer_member.h"
#include "tests/sim/group_member.h"
#include "tests/sim/kafka_clients.h"
#include "tests/sim/nemesis.h"
#include "tests/sim/readers.h"
#include "tests/sim/run.h"
#include "tests/sim/writer.h"

namespace weir::sim {

class ClusterRun {
 public:
  explicit ClusterRun(const RunOptions& options);
  Report run();

 private:
  void begin();
  void struggle();
  void recover();
  /// Clients end what they have begun.
  void end(const std::vector<Client*>& clients);
  void recover_group();
  void check_members();
  void settle();
  void read_everything();
  void add_writers();
  void add_writer(PartitionRef at);
  void add_kafka_writer(PartitionRef at);
  void add_readers();
  void add_group();
  void add_member(Member& member);
  bool group_converged() const;
  void start_client(rt::sim::SimNode& node, Client& client);
  KafkaClientParts kafka_parts(rt::sim::SimNode& node);
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
  GroupChecker group_checker_{checker_};
  std::string set_up_;
  std::unique_ptr<Cluster> cluster_;
  std::unique_ptr<Nemesis> nemesis_;
  rt::sim::SimNode* clients_ = nullptr;
  // Of the clients' process: leaked with it, as all that a process consists of.
  Topics* topics_ = nullptr;
  Caller* admin_caller_ = nullptr;
  Admin* admin_ = nullptr;
  std::vector<rt::sim::SimNode*> kafka_nodes_;
  std::vector<Client*> clients_running_;
  std::vector<Member*> members_;
  /// Partitions that have writers.
  std::set<PartitionRef> written_;
};

}  // namespace weir::sim
