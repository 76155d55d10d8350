// Places in a partition, and points in time, as people write them.
#include <array>

#include "base/units.h"
#include "cli/stream_commands.h"

namespace weir::cli {
namespace {

/// Takes `digits` decimal digits off the front.
bool take_number(std::string_view& text, std::size_t digits, std::int64_t& number) {
  if (text.size() < digits) return false;
  number = 0;
  for (char c : text.substr(0, digits)) {
    if (c < '0' || c > '9') return false;
    number = number * 10 + (c - '0');
  }
  text.remove_prefix(digits);
  return true;
}

bool take(std::string_view& text, char c) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

std::optional<std::int64_t> days_of(std::int64_t year, std::int64_t month, std::int64_t day) {
  std::chrono::year_month_day date{std::chrono::year(static_cast<int>(year)),
                                   std::chrono::month(static_cast<unsigned>(month)),
                                   std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days(date).time_since_epoch().count();
}

}  // namespace

std::optional<std::int64_t> parse_utc(std::string_view text) {
  std::int64_t year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, rest = 0;
  if (!take_number(text, 4, year) || !take(text, '-') || !take_number(text, 2, month) ||
      !take(text, '-') || !take_number(text, 2, day))
    return std::nullopt;
  std::optional<std::int64_t> days = days_of(year, month, day);
  if (!days) return std::nullopt;
  if (!text.empty()) {
    if (!take(text, 'T') || !take_number(text, 2, hour) || !take(text, ':') ||
        !take_number(text, 2, minute) || !take(text, ':') || !take_number(text, 2, second))
      return std::nullopt;
    if (take(text, '.') && !take_number(text, 3, rest)) return std::nullopt;
    if (!take(text, 'Z') || !text.empty()) return std::nullopt;
  }
  if (hour > 23 || minute > 59 || second > 59) return std::nullopt;
  return (((*days * 24 + hour) * 60 + minute) * 60 + second) * 1000 + rest;
}

Result<Place> parse_place(std::string_view text) {
  if (text == "beginning") return Place{Place::Kind::beginning};
  if (text == "end") return Place{Place::Kind::end};
  if (std::optional<std::int64_t> time = parse_utc(text)) return Place{Place::Kind::time, *time};
  bool is_time = text.starts_with('@');
  Result<std::int64_t> number = parse_integer(is_time ? text.substr(1) : text);
  if (!number || (is_time && *number < 0))
    return fail(ErrorCode::invalid_argument,
                "'" + std::string(text) +
                    "' is no place in a topic; write beginning, end, an offset, -N for the last N "
                    "records, @MILLISECONDS or 2026-01-31T12:00:00Z");
  if (is_time) return Place{Place::Kind::time, *number};
  if (*number < 0) return Place{Place::Kind::before_end, -*number};
  return Place{Place::Kind::offset, *number};
}

Result<std::vector<RecordPrinter::Field>> parse_fields(std::string_view text) {
  using Field = RecordPrinter::Field;
  static constexpr std::array<std::pair<std::string_view, Field>, 5> kFields{
      {{"key", Field::key},
       {"offset", Field::offset},
       {"timestamp", Field::timestamp},
       {"headers", Field::headers},
       {"partition", Field::partition}}};
  std::vector<Field> fields;
  while (!text.empty()) {
    std::size_t comma = text.find(',');
    std::string_view word = text.substr(0, comma);
    bool known = false;
    for (auto [name, field] : kFields) {
      if (name != word) continue;
      fields.push_back(field);
      known = true;
    }
    if (!known)
      return fail(ErrorCode::invalid_argument,
                  "'" + std::string(word) +
                      "' is none of key, offset, timestamp, headers and partition, which are "
                      "printed besides the value");
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
  }
  return fields;
}

}  // namespace weir::cli
