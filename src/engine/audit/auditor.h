// Auditor: the audit of a whole bucket against its log.
//
// Order: list, fold the log to its tail, check the state by itself, then read every object that
// spans name, and last say what is there and named by nothing. What looks missing is looked at
// again after folding what was committed meanwhile, for brokers may replace and delete while the
// audit runs. Objects that await deletion, and orphans, are not read.
//
// Memory: the state, its spans (references.h), and one object at a time.
#pragma once

#include <string>
#include <vector>

#include "engine/audit/log_walk.h"
#include "engine/audit/object_check.h"
#include "engine/audit/references.h"
#include "rt/loop.h"

namespace weir::engine::audit {

struct AuditReport {
  Findings findings;
  /// False: the log could not be folded to its tail, so references and orphans were not judged.
  bool complete = false;
  Position floor;
  Position next;
  std::uint64_t entries = 0;
  std::uint64_t snapshots = 0;
  std::uint64_t segments = 0;
  std::uint64_t inline_objects = 0;
  std::uint64_t spans = 0;
  CheckCounts checked;
  std::uint64_t awaiting_deletion = 0;
  /// Unreferenced, and young enough that their brokers may still commit them.
  std::uint64_t maybe_in_flight = 0;
};

struct AuditOptions {
  /// Read the data objects and check their bytes; without it only that they exist.
  bool read_data = true;
};

class Auditor {
 public:
  explicit Auditor(LogWalk::Parts parts, AuditOptions options = {})
      : parts_(parts), options_(options), walk_(parts, report_.findings) {}

  /// Once. Errors: the store or the log cannot be read now.
  rt::Task<Result<AuditReport>> run();

  // After `run`, for those who explain what is there (explain.h).
  const Inventory& inventory() const { return inventory_; }
  const LogWalk& walk() const { return walk_; }
  const References& references() const { return references_; }

 private:
  rt::Task<Result<void>> check_segments();
  rt::Task<Result<void>> check_one_segment(const std::string& name, const UsedObject& used);
  rt::Task<Result<void>> check_inlines();
  rt::Task<Result<void>> judge_missing();
  void judge_unreferenced();

  LogWalk::Parts parts_;
  AuditOptions options_;
  AuditReport report_;
  Inventory inventory_;
  LogWalk walk_;
  References references_;
  /// Not found, and not yet known whether they are still needed.
  std::vector<std::string> missing_segments_;
  std::vector<Position> missing_entries_;
};

}  // namespace weir::engine::audit
