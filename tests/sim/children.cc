#include "tests/sim/children.h"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>

#include "base/ensure.h"

namespace weir::sim {

namespace {

/// A child process and the file that it prints into.
struct Child {
  std::size_t job = 0;
  int run = 0;
  std::FILE* output = nullptr;
};

struct State {
  Ended ended;
  int left = 0;
  std::vector<std::string> traces;
};

/// A seed that computes for so long is in an endless loop.
constexpr rlim_t kProcessorSecondsMax = 300;
/// One that is there for so long hangs, however busy the machine is.
constexpr unsigned kRealSecondsMax = 3'600;

[[noreturn]] void be_child(const RunOptions& options, std::FILE* output) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  rlimit limit{kProcessorSecondsMax, kProcessorSecondsMax};
  setrlimit(RLIMIT_CPU, &limit);
  alarm(kRealSecondsMax);
  Report report = run(options);
  std::string text = to_text(report);
  std::fwrite(text.data(), 1, text.size(), output);
  std::fflush(output);
  std::fflush(stderr);
  _exit(report.findings.empty() ? 0 : 1);
}

std::string read_back(std::FILE* file) {
  std::string text;
  std::rewind(file);
  char piece[4096];
  for (std::size_t n = 0; (n = std::fread(piece, 1, sizeof piece, file)) > 0;)
    text.append(piece, n);
  std::fclose(file);
  return text;
}

std::string word_after(const std::string& text, const std::string& name) {
  std::size_t at = text.find(name);
  if (at == std::string::npos) return {};
  at += name.size();
  return text.substr(at, text.find(' ', at) - at);
}

void take_result(State& state, const RunOptions& run, int status, const std::string& text) {
  Ended& ended = state.ended;
  ended.text += text;
  --state.left;
  if (!WIFEXITED(status) || WEXITSTATUS(status) > 1) {
    ended.crashed = true;
    ended.text += "seed=" + std::to_string(run.seed) + " crashed, wait status " +
                  std::to_string(status) + "\n";
    return;
  }
  ended.has_findings = ended.has_findings || WEXITSTATUS(status) == 1;
  ended.records += std::strtoull(word_after(text, " records=").c_str(), nullptr, 10);
  state.traces.push_back(word_after(text, " trace="));
  if (state.traces.front() == state.traces.back()) return;
  ended.differs = true;
  ended.text += "seed=" + std::to_string(run.seed) + " gave another trace the second time\n";
}

}  // namespace

bool Ended::found(Violation kind) const {
  return text.find("\n  " + std::string(to_string(kind)) + ": ") != std::string::npos;
}

void run_jobs(const std::vector<Job>& jobs, std::size_t at_a_time,
              const std::function<void(const Job&, const Ended&)>& ended) {
  std::map<pid_t, Child> children;
  std::vector<State> states(jobs.size());
  std::vector<std::pair<std::size_t, int>> queue;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    states[i].left = jobs[i].times;
    for (int n = 0; n < jobs[i].times; ++n) queue.emplace_back(i, n);
  }
  std::size_t next = 0;
  while (next < queue.size() || !children.empty()) {
    while (next < queue.size() && children.size() < at_a_time) {
      Child child{queue[next].first, queue[next].second, std::tmpfile()};
      ++next;
      ENSURE(child.output != nullptr);
      std::fflush(stdout);
      pid_t pid = fork();
      ENSURE(pid >= 0);
      if (pid == 0) be_child(jobs[child.job].run, child.output);
      children.emplace(pid, child);
    }
    int status = 0;
    pid_t pid = waitpid(-1, &status, 0);
    auto found = children.find(pid);
    if (found == children.end()) continue;
    Child child = found->second;
    children.erase(found);
    State& state = states[child.job];
    take_result(state, jobs[child.job].run, status, read_back(child.output));
    if (state.left == 0) ended(jobs[child.job], state.ended);
  }
}

}  // namespace weir::sim
