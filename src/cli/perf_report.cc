// What a run of `weir perf` prints.
#include <boost/json/object.hpp>
#include <cstdio>

#include "cli/json_line.h"
#include "cli/perf_commands.h"

namespace weir::cli {
namespace {

double milliseconds(Duration d) { return static_cast<double>(d.count()) / 1e6; }
double seconds(Duration d) { return static_cast<double>(d.count()) / 1e9; }
double per_second(std::uint64_t n, const perf::Outcome& outcome) {
  return outcome.took > Duration(0) ? static_cast<double>(n) / seconds(outcome.took) : 0;
}

struct Percentile {
  const char* name;
  double part;
};
constexpr Percentile kPercentiles[] = {{"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}, {"p99.9", 0.999}};

std::string fixed(double value, int digits) {
  char text[64];
  (void)std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

std::string latency_text(std::string_view name, const perf::LatencyHistogram& latency) {
  std::string line(name);
  line.append(" ms: mean ").append(fixed(milliseconds(latency.mean()), 3));
  for (const Percentile& each : kPercentiles)
    line.append("  ").append(each.name).append(" ").append(
        fixed(milliseconds(latency.percentile(each.part)), 3));
  return line.append("  max ").append(fixed(milliseconds(latency.max()), 3)).append("\n");
}

boost::json::object latency_json(const perf::LatencyHistogram& latency) {
  boost::json::object object{{"mean", milliseconds(latency.mean())}};
  for (const Percentile& each : kPercentiles)
    object[each.name] = milliseconds(latency.percentile(each.part));
  object["max"] = milliseconds(latency.max());
  return object;
}

Result<void> print_text(Session& session, const PerfReport& report) {
  const perf::Outcome& outcome = report.outcome;
  std::string line = std::to_string(outcome.records) + " " + std::string(report.unit) + " in " +
                     fixed(seconds(outcome.took), 2) + " s, " +
                     fixed(per_second(outcome.records, outcome), 0) + " a second";
  if (outcome.batch_bytes != 0)
    line += "; " + fixed(static_cast<double>(outcome.batch_bytes) / 1e6, 1) + " MB in batches, " +
            fixed(per_second(outcome.batch_bytes, outcome) / 1e6, 1) + " MB/s, " +
            std::to_string(outcome.requests) + " requests";
  line += "\n";
  if (report.produced)
    line += latency_text("end to end", outcome.latency) +
            latency_text("acknowledged", report.produced->latency);
  else
    line += latency_text("latency", outcome.latency);
  return session.console.out(line);
}

}  // namespace

Result<void> print_perf(Session& session, const PerfReport& report) {
  if (!session.json()) return print_text(session, report);
  const perf::Outcome& outcome = report.outcome;
  boost::json::object object{{"what", json_text(report.what)},
                             {report.unit, outcome.records},
                             {"seconds", seconds(outcome.took)},
                             {"per_second", per_second(outcome.records, outcome)},
                             {"batch_bytes", outcome.batch_bytes},
                             {"payload_bytes", outcome.payload_bytes},
                             {"mb_per_s", per_second(outcome.batch_bytes, outcome) / 1e6},
                             {"requests", outcome.requests},
                             {"latency_ms", latency_json(outcome.latency)}};
  if (report.produced) {
    object["produced"] = report.produced->records;
    object["acknowledged_ms"] = latency_json(report.produced->latency);
  }
  return print_json(session, object);
}

}  // namespace weir::cli
