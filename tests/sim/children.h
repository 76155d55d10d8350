// Children: runs seeds in processes of their own, so that a crash is the failure of one seed, and
// several at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tests/sim/run.h"

namespace weir::sim {

struct Job {
  RunOptions run;
  /// With two, their traces are compared.
  int times = 1;
};

struct Ended {
  /// What the child printed.
  std::string text;
  std::uint64_t records = 0;
  bool crashed = false;
  bool differs = false;
  bool has_findings = false;

  bool failed() const { return crashed || differs || has_findings; }
  bool found(Violation kind) const;
};

/// `ended` is told in the order of the jobs' ends.
void run_jobs(const std::vector<Job>& jobs, std::size_t at_a_time,
              const std::function<void(const Job&, const Ended&)>& ended);

}  // namespace weir::sim
