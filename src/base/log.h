// Logging front end: one event per line, key=value, no payloads, no secrets.
//
// The level is chosen by who must act: `error` a person now, `warn` a person soon, `info` nobody,
// `debug` a developer. A Logger is handed in like any other dependency; `app` decides where lines
// go.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace weir {

enum class LogLevel : unsigned char { debug, info, warn, error };

/// One `key=value` of a line. Text values are quoted when they need it.
struct LogField {
  std::string_view key;
  std::string value;

  LogField(std::string_view k, std::string_view v) : key(k), value(v) {}
  LogField(std::string_view k, const char* v) : key(k), value(v) {}
  LogField(std::string_view k, const std::string& v) : key(k), value(v) {}
  template <std::integral T>
  LogField(std::string_view k, T v) : key(k), value(std::to_string(v)) {}
};

/// Thread-safe.
class Logger {
 public:
  virtual ~Logger() = default;
  virtual void write(LogLevel level, std::string_view event,
                     std::initializer_list<LogField> fields) = 0;

  void debug(std::string_view event, std::initializer_list<LogField> fields = {}) {
    write(LogLevel::debug, event, fields);
  }
  void info(std::string_view event, std::initializer_list<LogField> fields = {}) {
    write(LogLevel::info, event, fields);
  }
  void warn(std::string_view event, std::initializer_list<LogField> fields = {}) {
    write(LogLevel::warn, event, fields);
  }
  void error(std::string_view event, std::initializer_list<LogField> fields = {}) {
    write(LogLevel::error, event, fields);
  }
};

/// "event key=value key="two words""; what every Logger prints after its time stamp and level.
std::string format_log_line(std::string_view event, std::initializer_list<LogField> fields);

/// Drops everything.
class NullLogger final : public Logger {
 public:
  void write(LogLevel, std::string_view, std::initializer_list<LogField>) override {}
};

}  // namespace weir
