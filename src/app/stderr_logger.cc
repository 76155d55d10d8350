#include "app/stderr_logger.h"

#include <unistd.h>

#include <cstdio>
#include <ctime>
#include <utility>

namespace weir::app {
namespace {

constexpr const char* kLevels[] = {"debug", "info", "warn", "error"};

void write_fully(int fd, std::string_view line) {
  while (!line.empty()) {
    ssize_t written = ::write(fd, line.data(), line.size());
    // A log that nobody can take is dropped: there is nowhere to complain.
    if (written <= 0) return;
    line.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace

std::string format_wall_time(std::int64_t milliseconds) {
  std::int64_t seconds = milliseconds / 1000;
  std::int64_t rest = milliseconds % 1000;
  if (rest < 0) {
    rest += 1000;
    --seconds;
  }
  std::time_t time = seconds;
  std::tm parts{};
  gmtime_r(&time, &parts);
  char text[96];
  std::snprintf(text, sizeof text, "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", parts.tm_year + 1900,
                parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec,
                static_cast<int>(rest));
  return text;
}

bool StderrLogger::admit(std::string_view what, std::int64_t wall_ms, std::uint64_t& suppressed) {
  std::int64_t minute = wall_ms / 60'000;
  Repeats* slot = &repeats_[0];
  for (Repeats& known : repeats_) {
    if (known.what == what) {
      slot = &known;
      break;
    }
    if (known.minute < slot->minute) slot = &known;
  }
  if (slot->what != what) *slot = {.what = std::string(what), .minute = minute};
  if (slot->minute != minute) {
    slot->minute = minute;
    slot->printed = 0;
  }
  if (slot->printed >= kRepeatsMax) {
    ++slot->suppressed;
    return false;
  }
  ++slot->printed;
  suppressed = std::exchange(slot->suppressed, 0);
  return true;
}

void StderrLogger::write(LogLevel level, std::string_view event,
                         std::initializer_list<LogField> fields) {
  if (level < least_) return;
  std::int64_t now = clock_.wall_now().value;
  std::string said = format_log_line(event, fields);
  std::lock_guard lock(mutex_);
  std::uint64_t suppressed = 0;
  if (level == LogLevel::warn && !admit(event, now, suppressed)) return;
  if (level == LogLevel::error && !admit(said, now, suppressed)) return;
  std::string line = format_wall_time(now);
  line.append(" ").append(kLevels[static_cast<std::size_t>(level)]).append(" ");
  line.append(said);
  if (suppressed != 0) line.append(" suppressed=").append(std::to_string(suppressed));
  line.push_back('\n');
  write_fully(fd_, line);
}

}  // namespace weir::app
