// Reader, Auditor: the simulated clients that read.
//
// A reader polls some partitions, on any broker, and now and then jumps to another broker or back
// to an earlier offset. The auditor asks any broker where a partition ends: never before what was
// known to be committed when it asked.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tests/sim/batches.h"
#include "tests/sim/calls.h"
#include "tests/sim/client.h"
#include "tests/sim/topics.h"

namespace weir::sim {

class Reader final : public Client {
 public:
  Reader(Caller& caller, Topics& topics, std::string name)
      : caller_(caller), topics_(topics), name_(std::move(name)), broker_(caller.any_broker()) {}

  /// Polls until `finish`.
  rt::Task<void> run() override;
  void finish() override { finishing_ = true; }
  bool done() const override { return done_; }
  std::string describe() const override { return name_; }

 private:
  using Items = std::vector<engine::FetchItem>;
  Items choose_items();
  void wander();
  rt::Task<void> poll();

  Caller& caller_;
  Topics& topics_;
  std::string name_;
  std::size_t broker_;
  std::map<PartitionRef, Offset> positions_;
  bool finishing_ = false;
  bool done_ = false;
};

class Auditor final : public Client {
 public:
  Auditor(Caller& caller, Topics& topics) : caller_(caller), topics_(topics) {}
  rt::Task<void> run() override;
  void finish() override { finishing_ = true; }
  bool done() const override { return done_; }
  std::string describe() const override { return "auditor"; }

 private:
  rt::Task<void> look();
  Caller& caller_;
  Topics& topics_;
  bool finishing_ = false;
  bool done_ = false;
};

/// Where a partition stands on one broker, after a barrier.
struct Look {
  Result<void> proved;
  bool topic_known = false;
  std::optional<state::PartitionInfo> partition;
  std::vector<NodeId> brokers;
  Position folded;
};
rt::Task<Look> look_at(engine::ClusterEngine& engine, PartitionRef at, Duration time_out);

/// Reads one partition on one broker from start to end and tells the checker. An error is one of
/// the way; to be tried again.
rt::Task<Result<void>> read_all(Caller& caller, std::size_t broker, PartitionRef at);

}  // namespace weir::sim
