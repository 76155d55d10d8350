// Admin: the simulated client that creates, grows and deletes topics, and deletes records.
#pragma once

#include <string>

#include "tests/sim/calls.h"
#include "tests/sim/topics.h"

namespace weir::sim {

class Admin {
 public:
  Admin(Caller& caller, Topics& topics) : caller_(caller), topics_(topics) {}
  /// Some of the topics made from now on keep little.
  void use_retention() { use_retention_ = true; }

  /// Creates a topic, whatever it takes.
  rt::Task<void> create(std::string name, std::int32_t partitions);
  /// Some change every few seconds, until `finish`.
  rt::Task<void> run();
  void finish() { finishing_ = true; }
  bool done() const { return done_; }
  std::uint64_t changes() const { return changes_; }

  static constexpr std::int64_t kRetentionMs = 20'000;
  static constexpr std::int64_t kRetentionBytes = 3'000;
  static constexpr std::int64_t kDeleteRetentionMs = 15'000;

 private:
  Checker::Retention draw_retention();
  state::ConfigMap draw_policy();
  rt::Task<void> change_policy();
  rt::Task<void> remove_topic();
  rt::Task<void> grow_topic();
  rt::Task<void> remove_records();
  KnownTopic* any_live();
  rt::Task<void> pause();

  Caller& caller_;
  Topics& topics_;
  std::uint64_t next_name_ = 0;
  std::uint64_t changes_ = 0;
  bool use_retention_ = false;
  bool finishing_ = false;
  bool done_ = false;
};

}  // namespace weir::sim
