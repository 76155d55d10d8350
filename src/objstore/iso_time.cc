#include "objstore/iso_time.h"

#include <charconv>
#include <chrono>
#include <optional>
#include <string>

namespace weir::objstore {
namespace {

/// Exactly `digits` of them from the front, which are taken off.
std::optional<int> take_number(std::string_view& text, std::size_t digits) {
  if (text.size() < digits) return std::nullopt;
  int value = 0;
  for (char c : text.substr(0, digits)) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  text.remove_prefix(digits);
  return value;
}

bool take(std::string_view& text, char wanted) {
  if (!text.starts_with(wanted)) return false;
  text.remove_prefix(1);
  return true;
}

/// "Z", "+01:00", "-0130": minutes.
std::optional<int> take_offset(std::string_view& text) {
  if (take(text, 'Z') || take(text, 'z')) return 0;
  bool negative = text.starts_with('-');
  if (!take(text, '+') && !take(text, '-')) return std::nullopt;
  auto hours = take_number(text, 2);
  take(text, ':');
  auto minutes = take_number(text, 2);
  if (!hours || !minutes || *hours > 23 || *minutes > 59) return std::nullopt;
  return (negative ? -1 : 1) * (*hours * 60 + *minutes);
}

std::optional<WallMillis> parse(std::string_view text) {
  auto year = take_number(text, 4);
  if (!year || !take(text, '-')) return std::nullopt;
  auto month = take_number(text, 2);
  if (!month || !take(text, '-')) return std::nullopt;
  auto day = take_number(text, 2);
  if (!day || !(take(text, 'T') || take(text, 't') || take(text, ' '))) return std::nullopt;
  auto hour = take_number(text, 2);
  if (!hour || !take(text, ':')) return std::nullopt;
  auto minute = take_number(text, 2);
  if (!minute || !take(text, ':')) return std::nullopt;
  auto second = take_number(text, 2);
  if (!second) return std::nullopt;
  if (take(text, '.'))
    while (take_number(text, 1)) {
    }
  auto offset = take_offset(text);
  std::chrono::year_month_day date(std::chrono::year(*year),
                                   std::chrono::month(static_cast<unsigned>(*month)),
                                   std::chrono::day(static_cast<unsigned>(*day)));
  if (!offset || !text.empty() || !date.ok() || *hour > 23 || *minute > 59 || *second > 60)
    return std::nullopt;
  std::int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
  std::int64_t minutes = (days * 24 + *hour) * 60 + *minute - *offset;
  return WallMillis((minutes * 60 + *second) * 1'000);
}

}  // namespace

Result<WallMillis> parse_iso_time(std::string_view text) {
  if (auto time = parse(text)) return *time;
  return fail(ErrorCode::corrupt, "'" + std::string(text.substr(0, 40)) +
                                      "' is not a time of the form 2026-11-30T10:00:00Z");
}

}  // namespace weir::objstore
