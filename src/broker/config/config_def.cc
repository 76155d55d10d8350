#include "broker/config/config_def.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include "broker/config/tables.h"
#include "broker/limits.h"
#include "broker/telemetry/client_match.h"

namespace weir::broker::config {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

bool equals_ignoring_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
    return lower(x) == lower(y);
  });
}

std::optional<double> parse_real(std::string_view text) {
  text = trimmed(text);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

struct Bounds {
  std::int64_t low;
  std::int64_t high;
};
Bounds type_bounds(ConfigType type) {
  switch (type) {
    case ConfigType::int16:
      return {std::numeric_limits<std::int16_t>::min(), std::numeric_limits<std::int16_t>::max()};
    case ConfigType::int32:
      return {std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()};
    default:
      return {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()};
  }
}

bool in_range(const Check& check, std::int64_t value) {
  switch (check.kind) {
    case Check::Kind::range: return check.low <= value && value <= check.high;
    case Check::Kind::range_or_less:
      return value == -1 || (check.low <= value && value <= check.high);
    default: return true;
  }
}

bool is_choice(const Check& check, std::string_view item) {
  return std::ranges::any_of(split_list(check.choices), [&](const std::string& choice) {
    return check.any_case ? equals_ignoring_case(choice, item) : choice == item;
  });
}

/// "*", or "partition:broker" pairs.
bool are_replicas(std::string_view value) {
  if (trimmed(value) == "*") return true;
  return std::ranges::all_of(split_list(value), [](const std::string& item) {
    const std::size_t colon = item.find(':');
    return colon != std::string::npos && parse_integer(std::string_view(item).substr(0, colon)) &&
           parse_integer(std::string_view(item).substr(colon + 1));
  });
}

/// What is wrong, without the name of the key; empty if nothing is.
std::string complaint(const ConfigDef& def, std::string_view value) {
  const Check& check = def.check;
  switch (def.type) {
    case ConfigType::boolean: return parse_boolean(value) ? "" : "it must be true or false";
    case ConfigType::int16:
    case ConfigType::int32:
    case ConfigType::int64: {
      const std::optional<std::int64_t> number = parse_integer(value);
      const Bounds bounds = type_bounds(def.type);
      if (!number || *number < bounds.low || *number > bounds.high)
        return "it must be a whole number";
      if (in_range(check, *number)) return "";
      return "it must be between " + std::to_string(check.low) + " and " +
             std::to_string(std::min(check.high, bounds.high)) +
             (check.kind == Check::Kind::range_or_less ? ", or -1" : "");
    }
    case ConfigType::float64: {
      const std::optional<double> number = parse_real(value);
      if (!number) return "it must be a number";
      if (check.kind != Check::Kind::range) return "";
      const bool inside =
          *number >= static_cast<double>(check.low) && *number <= static_cast<double>(check.high);
      return inside ? ""
                    : "it must be between " + std::to_string(check.low) + " and " +
                          std::to_string(check.high);
    }
    case ConfigType::list:
      if (check.kind == Check::Kind::replicas && !are_replicas(value))
        return "it must be * or a list of partition:broker";
      if (check.kind == Check::Kind::each_of &&
          !std::ranges::all_of(split_list(value),
                               [&](const std::string& item) { return is_choice(check, item); }))
        return std::string("its items must be among ") + check.choices;
      if (check.kind == Check::Kind::client_match) {
        const auto match = telemetry::ClientMatch::parse(split_list(value));
        return match ? "" : match.error().message;
      }
      return "";
    case ConfigType::string:
      if (check.kind == Check::Kind::one_of && !is_choice(check, value))
        return std::string("it must be one of ") + check.choices;
      return "";
    case ConfigType::class_name:
    case ConfigType::password: return "";
  }
  return "";
}

}  // namespace

Defs topic_defs() { return {topic_table()}; }

Defs client_metrics_defs() { return {client_metrics_table()}; }

Defs group_defs() { return {group_table()}; }

Defs broker_defs() {
  return {broker_a_to_f(), broker_group(), broker_i_to_p(), broker_q_to_r(), broker_s_to_u()};
}

const ConfigDef* find_def(const Defs& defs, std::string_view name) {
  for (const std::span<const ConfigDef>& piece : defs) {
    if (piece.empty() || std::string_view(piece.back().name) < name) continue;
    const auto at = std::ranges::lower_bound(
        piece, name, {}, [](const ConfigDef& def) { return std::string_view(def.name); });
    if (at != piece.end() && at->name == name) return &*at;
    return nullptr;
  }
  return nullptr;
}

std::string value_problem(const ConfigDef& def, std::string_view value) {
  std::string what = value.size() > kConfigValueBytesMax
                         ? "it is longer than " + std::to_string(kConfigValueBytesMax) + " bytes"
                         : complaint(def, value);
  if (what.empty()) return {};
  const std::string shown =
      def.sensitive() ? "(hidden)" : "\"" + std::string(value.substr(0, 100)) + "\"";
  return "Invalid value " + shown + " for configuration " + def.name + ": " + what + ".";
}

std::vector<std::string> split_list(std::string_view value) {
  std::vector<std::string> out;
  while (!value.empty()) {
    const std::size_t cut = std::min(value.find(','), value.size());
    const std::string_view item = trimmed(value.substr(0, cut));
    if (!item.empty()) out.emplace_back(item);
    value.remove_prefix(std::min(cut + 1, value.size()));
  }
  return out;
}

std::string join_list(const std::vector<std::string>& items) {
  std::string out;
  for (const std::string& item : items) {
    if (!out.empty()) out += ',';
    out += item;
  }
  return out;
}

std::optional<std::int64_t> parse_integer(std::string_view text) {
  text = trimmed(text);
  if (text.starts_with('+')) text.remove_prefix(1);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<bool> parse_boolean(std::string_view text) {
  text = trimmed(text);
  if (equals_ignoring_case(text, "true")) return true;
  if (equals_ignoring_case(text, "false")) return false;
  return std::nullopt;
}

}  // namespace weir::broker::config
