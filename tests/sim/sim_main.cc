// weir_sim: runs the whole cluster in the deterministic simulation.
//
//   weir_sim --seed 7                one seed; the same seed replays exactly
//   weir_sim --seed 7 --twice        and compares the traces of two runs
//   weir_sim --seeds 1..1000         many, each in a process of its own, so that a crash is one
//                                    failed seed; prints how to replay the failed ones
//   weir_sim --canary NAME           with a planted bug: succeeds if the checker catches it
//   weir_sim --list-canaries
//
// Exit status: 0 all well, 1 something was found, 2 wrong usage.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/sim/children.h"
#include "tests/sim/run.h"

namespace weir::sim {
namespace {

struct Arguments {
  RunOptions run;
  std::uint64_t first = 1;
  std::uint64_t last = 1;
  std::size_t jobs = 2;
  bool twice = false;
  bool list_canaries = false;
  bool all_canaries = false;
};

constexpr std::string_view kUsage =
    "usage: weir_sim [--seed N | --seeds A..B] [--jobs J] [--twice] [--canary NAME | --canaries]\n"
    "                [--list-canaries] [--workload engine|broker|groups|maintenance] "
    "[--records N] [--verbose]\n";

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  if (text.empty()) return std::nullopt;
  for (char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + static_cast<std::uint64_t>(c - '0');
  }
  return value;
}

bool take_range(std::string_view value, Arguments& out) {
  std::size_t dots = value.find("..");
  if (dots == std::string_view::npos) return false;
  auto first = number(value.substr(0, dots)), last = number(value.substr(dots + 2));
  if (!first || !last || *last < *first) return false;
  out.first = *first;
  out.last = *last;
  return true;
}

/// True if the option takes a value and `value` is a good one.
bool take_value(std::string_view name, std::string_view value, Arguments& out) {
  auto n = number(value);
  if (name == "--seeds") return take_range(value, out);
  if (name == "--canary") {
    auto canary = canary_named(value);
    if (canary) out.run.canary = *canary;
    return canary.has_value();
  }
  if (name == "--workload") {
    auto workload = workload_named(value);
    if (workload) out.run.workload = *workload;
    return workload.has_value();
  }
  if (!n) return false;
  if (name == "--seed") out.first = out.last = *n;
  if (name == "--jobs") out.jobs = static_cast<std::size_t>(*n > 0 ? *n : 1);
  if (name == "--records") out.run.records = *n;
  return name == "--seed" || name == "--jobs" || name == "--records";
}

bool take_flag(std::string_view name, Arguments& out) {
  if (name == "--twice") return out.twice = true;
  if (name == "--verbose") return out.run.verbose = true;
  if (name == "--list-canaries") return out.list_canaries = true;
  if (name == "--canaries") return out.all_canaries = true;
  return false;
}

std::optional<Arguments> parse(const std::vector<std::string_view>& words) {
  Arguments out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (take_flag(words[i], out)) continue;
    if (i + 1 >= words.size() || !take_value(words[i], words[i + 1], out)) return std::nullopt;
    ++i;
  }
  return out;
}

std::string replay_command(const Arguments& arguments, std::uint64_t seed) {
  std::string command = "./dev sim --seed " + std::to_string(seed);
  if (arguments.run.workload == Workload::broker) command += " --workload broker";
  if (arguments.run.workload == Workload::maintenance) command += " --workload maintenance";
  if (arguments.run.workload == Workload::groups) command += " --workload groups";
  if (arguments.run.records != kRecordsMin)
    command += " --records " + std::to_string(arguments.run.records);
  return command;
}

int run_seeds(const Arguments& arguments) {
  std::uint64_t failed = 0, records = 0;
  std::vector<std::string> commands;
  bool many = arguments.last > arguments.first;
  std::vector<Job> jobs;
  for (std::uint64_t seed = arguments.first; seed <= arguments.last; ++seed) {
    RunOptions run = arguments.run;
    run.seed = seed;
    jobs.push_back({run, arguments.twice ? 2 : 1});
  }
  run_jobs(jobs, arguments.jobs, [&](const Job& job, const Ended& ended) {
    records += ended.records;
    if (!many || ended.failed()) std::printf("%s", ended.text.c_str());
    std::fflush(stdout);
    if (!ended.failed()) return;
    ++failed;
    std::string command = replay_command(arguments, job.run.seed);
    std::printf("seed %llu FAILED; replay: %s\n", static_cast<unsigned long long>(job.run.seed),
                command.c_str());
    std::fflush(stdout);
  });
  if (many)
    std::printf("%zu seeds, %llu records, %llu failed\n", jobs.size(),
                static_cast<unsigned long long>(records), static_cast<unsigned long long>(failed));
  return failed == 0 ? 0 : 1;
}

/// A canary is caught if one of its violations is found within a few seeds.
int run_canary(const Arguments& arguments, Canary canary) {
  const CanaryInfo& info = info_of(canary);
  constexpr std::uint64_t kSeedsMax = 20;
  for (std::uint64_t seed = arguments.first; seed < arguments.first + kSeedsMax; ++seed) {
    RunOptions run = arguments.run;
    run.canary = canary;
    if (needs_maintenance(canary)) run.workload = Workload::maintenance;
    run.seed = seed;
    if (info.workload) run.workload = *info.workload;
    Ended ended;
    run_jobs({{run, 1}}, 1, [&](const Job&, const Ended& e) { ended = e; });
    for (Violation kind : info.caught_as)
      if (ended.found(kind)) {
        std::printf("canary %-20s caught as %s with seed %llu\n", std::string(info.name).c_str(),
                    std::string(to_string(kind)).c_str(), static_cast<unsigned long long>(seed));
        return 0;
      }
    if (arguments.run.verbose) std::printf("%s", ended.text.c_str());
  }
  std::printf("canary %-20s SURVIVED: the checker does not see that %s\n",
              std::string(info.name).c_str(), std::string(info.what).c_str());
  return 1;
}

int main_with(const Arguments& arguments) {
  if (arguments.list_canaries) {
    for (const CanaryInfo& info : all_canaries())
      std::printf("%-20s %s\n", std::string(info.name).c_str(), std::string(info.what).c_str());
    return 0;
  }
  if (arguments.all_canaries) {
    int status = 0;
    for (const CanaryInfo& info : all_canaries())
      status = std::max(status, run_canary(arguments, info.canary));
    return status;
  }
  if (arguments.run.canary != Canary::none) return run_canary(arguments, arguments.run.canary);
  return run_seeds(arguments);
}

}  // namespace
}  // namespace weir::sim

int main(int argc, char** argv) {
  std::vector<std::string_view> words(argv + 1, argv + argc);
  if (std::ranges::find(words, "--help") != words.end()) {
    std::fputs(std::string(weir::sim::kUsage).c_str(), stdout);
    return 0;
  }
  auto arguments = weir::sim::parse(words);
  if (!arguments) {
    std::fputs(std::string(weir::sim::kUsage).c_str(), stderr);
    return 2;
  }
  return weir::sim::main_with(*arguments);
}
