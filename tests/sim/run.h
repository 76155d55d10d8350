// A run: one seed, from an empty store to the checker's word.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tests/sim/canary.h"
#include "tests/sim/checker.h"
#include "tests/sim/limits.h"

namespace weir::sim {

enum class Workload : std::uint8_t {
  engine,       // clients call engines
  broker,       // clients speak Kafka's protocol with whole brokers
  maintenance,  // as engine, with maintenance at high speed and an audit of the store at the end
  groups,       // as engine, and members of a group beside the writers and readers
};
std::optional<Workload> workload_named(std::string_view name);

struct RunOptions {
  Workload workload = Workload::engine;
  std::uint64_t seed = 1;
  std::uint64_t records = kRecordsMin;
  Canary canary = Canary::none;
  bool verbose = false;
};

struct Report {
  std::uint64_t seed = 0;
  /// What the seed chose: brokers, storage, sizes.
  std::string set_up;
  std::uint64_t records_sent = 0;
  std::uint64_t records_acknowledged = 0;
  std::uint64_t records_read = 0;
  std::uint64_t faults = 0;
  std::map<std::string, std::uint64_t> faults_by_kind;
  double virtual_seconds = 0;
  std::uint64_t trace_hash = 0;
  std::vector<Finding> findings;
};

Report run(const RunOptions& options);
/// One line, then one line per finding.
std::string to_text(const Report& report);

}  // namespace weir::sim
