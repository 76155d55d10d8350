#include "objstore/s3/http_date.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>

namespace weir::objstore::s3 {
namespace {

std::optional<int> number(std::string_view text, std::size_t at, std::size_t digits) {
  if (at + digits > text.size()) return std::nullopt;
  int value = 0;
  for (char c : text.substr(at, digits)) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  return value;
}

struct Parts {
  std::optional<int> year, month, day, hour, minute, second;
};

std::optional<WallMillis> time_of(const Parts& parts) {
  namespace chrono = std::chrono;
  if (!parts.year || !parts.month || !parts.day || !parts.hour || !parts.minute || !parts.second)
    return std::nullopt;
  chrono::year_month_day date(chrono::year(*parts.year),
                              chrono::month(static_cast<unsigned>(*parts.month)),
                              chrono::day(static_cast<unsigned>(*parts.day)));
  if (!date.ok() || *parts.hour > 23 || *parts.minute > 59 || *parts.second > 60)
    return std::nullopt;
  auto time = chrono::sys_days(date) + chrono::hours(*parts.hour) + chrono::minutes(*parts.minute) +
              chrono::seconds(*parts.second);
  return WallMillis(chrono::duration_cast<chrono::milliseconds>(time.time_since_epoch()).count());
}

}  // namespace

std::optional<WallMillis> parse_http_date(std::string_view text) {
  constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                        "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  if (text.size() != 29 || !text.ends_with(" GMT")) return std::nullopt;
  auto month = std::ranges::find(kMonths, text.substr(8, 3));
  if (month == kMonths.end()) return std::nullopt;
  return time_of({.year = number(text, 12, 4),
                  .month = static_cast<int>(month - kMonths.begin()) + 1,
                  .day = number(text, 5, 2),
                  .hour = number(text, 17, 2),
                  .minute = number(text, 20, 2),
                  .second = number(text, 23, 2)});
}

}  // namespace weir::objstore::s3
