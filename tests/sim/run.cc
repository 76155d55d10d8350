#include "tests/sim/run.h"

#include <cstdio>

#include "tests/sim/cluster_run.h"

namespace weir::sim {

std::optional<Workload> workload_named(std::string_view name) {
  if (name == "engine") return Workload::engine;
  if (name == "broker") return Workload::broker;
  if (name == "maintenance") return Workload::maintenance;
  if (name == "groups") return Workload::groups;
  return std::nullopt;
}

Report run(const RunOptions& options) { return ClusterRun(options).run(); }

std::string to_text(const Report& report) {
  char line[400];
  std::snprintf(line, sizeof line,
                "seed=%llu records=%llu acknowledged=%llu read=%llu faults=%llu virtual_s=%.1f "
                "trace=%016llx set_up=\"%s\" findings=%zu\n",
                static_cast<unsigned long long>(report.seed),
                static_cast<unsigned long long>(report.records_sent),
                static_cast<unsigned long long>(report.records_acknowledged),
                static_cast<unsigned long long>(report.records_read),
                static_cast<unsigned long long>(report.faults), report.virtual_seconds,
                static_cast<unsigned long long>(report.trace_hash), report.set_up.c_str(),
                report.findings.size());
  std::string text = line;
  for (const Finding& finding : report.findings)
    text += "  " + std::string(to_string(finding.kind)) + ": " + finding.text + "\n";
  return text;
}

}  // namespace weir::sim
