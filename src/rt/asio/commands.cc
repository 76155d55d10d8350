#include "rt/asio/commands.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

#include "base/narrow.h"

extern char** environ;

namespace weir::rt::asio {
namespace {

using Clock = std::chrono::steady_clock;

/// Owns one end of a pipe.
class PipeEnd {
 public:
  explicit PipeEnd(int descriptor = -1) : descriptor_(descriptor) {}
  PipeEnd(PipeEnd&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  PipeEnd& operator=(PipeEnd&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~PipeEnd() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  int get() const { return descriptor_; }

 private:
  int descriptor_;
};

struct Child {
  pid_t pid = -1;
  PipeEnd output;
};

std::unexpected<Error> failed(std::string what, int number) {
  return fail(ErrorCode::configuration, std::move(what) + ": " + std::strerror(number));
}

Result<Child> start(const std::string& line) {
  std::array<int, 2> pipe_ends{};
  if (::pipe2(pipe_ends.data(), O_CLOEXEC) != 0) return failed("making a pipe", errno);
  Child child;
  child.output = PipeEnd(pipe_ends[0]);
  PipeEnd write_end(pipe_ends[1]);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, pipe_ends[1], 1);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  // A group of its own, so that what the shell starts can be ended with it.
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);
  std::string shell = "/bin/sh";
  std::string option = "-c";
  std::string copy = line;
  std::array<char*, 4> arguments = {shell.data(), option.data(), copy.data(), nullptr};
  int problem =
      ::posix_spawn(&child.pid, shell.c_str(), &actions, &attributes, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (problem != 0) return failed("starting /bin/sh", problem);
  return child;
}

/// Reads to the end, which comes when everybody who could write has gone.
Result<std::string> read_all(int descriptor, Clock::time_point deadline, std::size_t bytes_max) {
  std::string out;
  std::array<char, 4'096> block{};
  for (;;) {
    auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    pollfd wait{.fd = descriptor, .events = POLLIN, .revents = 0};
    int ready = left > 0 ? ::poll(&wait, 1, narrow<int>(left)) : 0;
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return fail(ErrorCode::timed_out, "the command did not end in time");
    ssize_t got = ::read(descriptor, block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failed("reading the output of a command", errno);
    if (got == 0) return out;
    out.append(block.data(), narrow<std::size_t>(got));
    if (out.size() > bytes_max)
      return fail(ErrorCode::too_large,
                  "the command printed more than " + std::to_string(bytes_max) + " bytes");
  }
}

int wait_for(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

}  // namespace

Result<std::string> ShellCommands::run(const std::string& line, Bounds bounds) {
  Result<Child> child = start(line);
  if (!child) return std::unexpected(child.error());
  Result<std::string> out =
      read_all(child->output.get(), Clock::now() + bounds.timeout, bounds.output_bytes_max);
  // Also one that has closed its output and lingers on: nobody wants more of it.
  if (!out) ::kill(-child->pid, SIGKILL);
  int status = wait_for(child->pid);
  if (!out) return out;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return out;
  return fail(ErrorCode::configuration,
              WIFEXITED(status)
                  ? "the command ended with status " + std::to_string(WEXITSTATUS(status))
                  : "the command was ended by signal " + std::to_string(WTERMSIG(status)));
}

}  // namespace weir::rt::asio
