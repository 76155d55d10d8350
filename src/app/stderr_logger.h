// StderrLogger: log lines on standard error, one event per line.
//
// "2026-01-31T12:34:56.789Z info event key=value". A warning that repeats is printed a few times a
// minute and then counted, so that a broker whose store is away for an hour does not fill a disk;
// the count follows in `suppressed=` of the next line of that event. Of errors only those are
// counted as repeats that say the same word for word, as one damaged region does that a client
// asks for again and again. Thread-safe: a line is one write.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <string>

#include "base/log.h"
#include "rt/loop.h"

namespace weir::app {

class StderrLogger final : public Logger {
 public:
  /// Same event this often within a minute, at level `warn`; same line, at level `error`.
  static constexpr std::uint32_t kRepeatsMax = 10;
  static constexpr std::size_t kEventsMax = 64;

  /// `clock` must outlive the logger and be usable from any thread. `fd` is 2 but in tests.
  StderrLogger(const rt::Clock& clock, LogLevel least, int fd = 2)
      : clock_(clock), least_(least), fd_(fd) {}

  void write(LogLevel level, std::string_view event,
             std::initializer_list<LogField> fields) override;

 private:
  struct Repeats {
    /// Of a warning the event, of an error the whole line.
    std::string what;
    std::int64_t minute = 0;
    std::uint32_t printed = 0;
    std::uint64_t suppressed = 0;
  };
  /// Whether to print, and how many were not printed before. Called with the lock held.
  bool admit(std::string_view what, std::int64_t wall_ms, std::uint64_t& suppressed);

  const rt::Clock& clock_;
  LogLevel least_;
  int fd_;
  std::mutex mutex_;
  /// Of what was said last; the one that is longest silent makes room.
  std::array<Repeats, kEventsMax> repeats_;
};

/// "2026-01-31T12:34:56.789Z".
std::string format_wall_time(std::int64_t milliseconds);

}  // namespace weir::app
