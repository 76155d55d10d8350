#include "cli/option_check.h"

#include <vector>

#include "base/units.h"

namespace weir::cli {
namespace {

std::unexpected<Error> wrong(std::string_view value, std::string what) {
  return fail(ErrorCode::invalid_argument, "'" + std::string(value) + "' " + std::move(what));
}

/// The error of `result`, if it is one.
template <class T>
Result<void> outcome_of(Result<T> result) {
  if (!result) return std::unexpected(std::move(result).error());
  return {};
}

Result<void> check_integer(const OptionSpec& option, std::string_view value) {
  Result<std::int64_t> number = parse_integer(value);
  if (!number) return std::unexpected(number.error());
  if (*number < option.least)
    return wrong(value, "is less than " + std::to_string(option.least) + ", the least allowed");
  if (*number > option.most)
    return wrong(value, "is more than " + std::to_string(option.most) + ", the most allowed");
  return {};
}

Result<void> check_choice(const OptionSpec& option, std::string_view value) {
  std::string_view rest = option.choices;
  std::vector<std::string_view> choices;
  while (!rest.empty()) {
    std::size_t bar = rest.find('|');
    choices.push_back(rest.substr(0, bar));
    if (choices.back() == value) return {};
    rest = bar == std::string_view::npos ? std::string_view() : rest.substr(bar + 1);
  }
  std::string what = "is none of ";
  for (std::size_t i = 0; i < choices.size(); ++i)
    what.append(i == 0 ? "" : i + 1 == choices.size() ? " and " : ", ").append(choices[i]);
  return wrong(value, std::move(what));
}

Result<void> check_url(std::string_view value) {
  std::size_t colon = value.find("://");
  if (colon == std::string_view::npos || colon == 0)
    return wrong(value, "is not a URL; write it as SCHEME://…, for example file:///var/lib/weir");
  return {};
}

}  // namespace

Result<void> check_value(const OptionSpec& option, std::string_view value) {
  if (value.empty() && (option.kind != OptionKind::text || option.least > 0))
    return fail(ErrorCode::invalid_argument, "the value is empty; write " +
                                                 std::string(option.value_name) +
                                                 ", or leave the option out");
  switch (option.kind) {
    case OptionKind::text:
    case OptionKind::file: return {};
    case OptionKind::flag:
      if (value == "true" || value == "false") return {};
      return wrong(value, "is neither true nor false");
    case OptionKind::integer: return check_integer(option, value);
    case OptionKind::size: return outcome_of(parse_size(value));
    case OptionKind::duration: return outcome_of(parse_duration(value));
    case OptionKind::url: return check_url(value);
    case OptionKind::choice: return check_choice(option, value);
  }
  return {};
}

}  // namespace weir::cli
