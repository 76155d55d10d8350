#include "base/units.h"

#include <charconv>

#include "base/ensure.h"

namespace weir {
namespace {

struct SizeUnit {
  std::string_view name;
  std::uint64_t bytes;
};
constexpr SizeUnit kSizeUnits[] = {
    {"", 1},
    {"b", 1},
    {"k", 1ull << 10},
    {"kib", 1ull << 10},
    {"m", 1ull << 20},
    {"mib", 1ull << 20},
    {"g", 1ull << 30},
    {"gib", 1ull << 30},
    {"t", 1ull << 40},
    {"tib", 1ull << 40},
    {"kb", 1000},
    {"mb", 1000ull * 1000},
    {"gb", 1000ull * 1000 * 1000},
    {"tb", 1000ull * 1000 * 1000 * 1000},
};

struct DurationUnit {
  std::string_view name;
  std::int64_t nanoseconds;
};
constexpr std::int64_t kSecond = 1'000'000'000;
// Largest first for each name that is written; synonyms follow.
constexpr DurationUnit kDurationUnits[] = {
    {"w", 604'800 * kSecond}, {"d", 86'400 * kSecond}, {"h", 3'600 * kSecond}, {"m", 60 * kSecond},
    {"s", kSecond},           {"ms", 1'000'000},       {"us", 1'000},          {"ns", 1},
    {"min", 60 * kSecond},
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool equal_ignoring_case(std::string_view text, std::string_view lower_case) {
  if (text.size() != lower_case.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (lower(text[i]) != lower_case[i]) return false;
  return true;
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

std::string quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

std::unexpected<Error> bad_size(std::string_view text) {
  return fail(
      ErrorCode::invalid_argument,
      quoted(text) + " is not a size; write a whole number with a unit, as in 64MiB or 1GB");
}

std::unexpected<Error> bad_duration(std::string_view text) {
  return fail(ErrorCode::invalid_argument,
              quoted(text) +
                  " is not a duration; write whole numbers with units, as in 250ms, 90s or 7d, "
                  "or forever");
}

/// Takes the leading digits and then the letters after them.
bool take_number_and_unit(std::string_view& rest, std::uint64_t& number, std::string_view& unit) {
  auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
  if (error != std::errc()) return false;
  rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
  rest = trim(rest);
  std::size_t length = 0;
  while (length < rest.size() && !is_digit(rest[length])) ++length;
  unit = trim(rest.substr(0, length));
  rest.remove_prefix(length);
  return true;
}

}  // namespace

Result<std::uint64_t> parse_size(std::string_view text) {
  std::string_view rest = trim(text);
  std::uint64_t number = 0;
  std::string_view unit;
  if (!take_number_and_unit(rest, number, unit) || !rest.empty()) return bad_size(text);
  for (const SizeUnit& known : kSizeUnits) {
    if (!equal_ignoring_case(unit, known.name)) continue;
    std::uint64_t bytes = 0;
    if (__builtin_mul_overflow(number, known.bytes, &bytes))
      return fail(ErrorCode::invalid_argument,
                  "'" + std::string(text) +
                      "' is more than any machine has; write a smaller size, "
                      "as in 64MiB or 1GB");
    return bytes;
  }
  return bad_size(text);
}

Result<std::optional<Duration>> parse_duration(std::string_view text) {
  std::string_view rest = trim(text);
  if (rest == "forever") return std::optional<Duration>();
  if (rest == "0") return Duration(0);
  if (rest.empty()) return bad_duration(text);
  std::int64_t sum = 0;
  while (!rest.empty()) {
    std::uint64_t number = 0;
    std::string_view unit;
    if (!take_number_and_unit(rest, number, unit)) return bad_duration(text);
    const DurationUnit* found = nullptr;
    for (const DurationUnit& known : kDurationUnits)
      if (equal_ignoring_case(unit, known.name)) found = &known;
    std::int64_t part = 0;
    if (!found || __builtin_mul_overflow(number, found->nanoseconds, &part) ||
        __builtin_add_overflow(sum, part, &sum))
      return bad_duration(text);
  }
  return Duration(sum);
}

Result<std::int64_t> parse_integer(std::string_view text) {
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end)
    return fail(ErrorCode::invalid_argument, quoted(text) + " is not a whole number");
  return value;
}

std::string format_size(std::uint64_t bytes) {
  static constexpr std::string_view kNames[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  while (bytes != 0 && bytes % 1024 == 0 && unit + 1 < std::size(kNames)) {
    bytes /= 1024;
    ++unit;
  }
  return std::to_string(bytes).append(kNames[unit]);
}

std::string format_duration(std::optional<Duration> duration) {
  if (!duration) return "forever";
  std::int64_t count = duration->count();
  if (count == 0) return "0";
  for (const DurationUnit& unit : kDurationUnits)
    if (count % unit.nanoseconds == 0)
      return std::to_string(count / unit.nanoseconds).append(unit.name);
  ENSURE(false);
}

}  // namespace weir
