#include "app/terminal.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "cli/limits.h"

namespace weir::app {
namespace {

/// How soon an interrupt is noticed while nothing can be read.
constexpr int kPollMilliseconds = 50;

Result<void> write_fully(int fd, std::string_view text) {
  while (!text.empty()) {
    ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EPIPE)
      return fail(ErrorCode::closed, "nobody reads the output any more");
    // Not `unavailable`: no broker has to do with it.
    if (written < 0)
      return fail(ErrorCode::out_of_space,
                  std::string("cannot write the output: ") + std::strerror(errno));
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

}  // namespace

Result<void> Terminal::out(std::string_view text) {
  pending_.append(text);
  if (pending_.size() < cli::kOutputBufferBytes) return {};
  return flush();
}

Result<void> Terminal::flush() {
  std::string text = std::exchange(pending_, {});
  if (closed_) return fail(ErrorCode::closed, "nobody reads the output any more");
  Result<void> written = write_fully(STDOUT_FILENO, text);
  if (!written && written.error().is(ErrorCode::closed)) closed_ = true;
  return written;
}

cli::ExitStatus Terminal::finish(cli::ExitStatus status) {
  Result<void> flushed = flush();
  if (flushed || closed_) return status;
  err("weir: " + flushed.error().message + "\n");
  return cli::ExitStatus::failed;
}

void Terminal::err(std::string_view text) {
  // What was printed before stands before.
  (void)flush();
  (void)write_fully(STDERR_FILENO, text);
}

Result<std::size_t> Terminal::read_blocking(MutableBytes into) {
  while (!interrupted_.load()) {
    pollfd input{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
    int ready = ::poll(&input, 1, kPollMilliseconds);
    if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
    ssize_t size = ::read(STDIN_FILENO, into.data(), into.size());
    if (size >= 0) return static_cast<std::size_t>(size);
    if (errno != EINTR && errno != EAGAIN)
      return fail(ErrorCode::invalid_argument, std::string("cannot read the input: ") +
                                                   std::strerror(errno) +
                                                   "; give a file or a pipe as standard input");
  }
  return fail(ErrorCode::cancelled, "interrupted");
}

rt::Task<Result<std::size_t>> Terminal::read_some(MutableBytes into) {
  co_return co_await rt::run_blocking(loop_, workers_,
                                      [this, into] { return read_blocking(into); });
}

}  // namespace weir::app
