// Every configuration that Kafka knows, with its type, default, bounds and meaning.
//
// The names, types, defaults and bounds are those of Apache Kafka 4.4.0 (docs/deviations.md lists
// the exceptions), because tools compare them; the sentences are ours. The tables are data: what
// weir honours is read through settings.h.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weir::broker::config {

/// Values as DescribeConfigs sends them.
enum class ConfigType : std::int8_t {
  boolean = 1,
  string = 2,
  int32 = 3,
  int16 = 4,
  int64 = 5,
  float64 = 6,
  list = 7,
  class_name = 8,
  password = 9,
};

/// Where a broker config can be changed while brokers run. Topic configs always can.
enum class Change : std::uint8_t { never, per_broker, cluster_wide };

/// What a value must satisfy beside its type.
struct Check {
  enum class Kind : std::uint8_t {
    none,
    range,          // low … high
    range_or_less,  // low … high, or -1
    one_of,         // one of `choices`
    each_of,        // a list whose items are among `choices`
    replicas,       // "*" or partition:broker pairs
    client_match,   // selector=regular expression pairs
  };
  Kind kind = Kind::none;
  std::int64_t low = 0;
  std::int64_t high = 0;
  /// Separated by commas.
  const char* choices = "";
  /// Whether upper and lower case are alike in them.
  bool any_case = false;
};

struct ConfigDef {
  const char* name;
  ConfigType type;
  /// Null where Kafka has none.
  const char* default_value;
  Check check;
  Change change;
  /// Topics: the broker config that is the default of this one, or "".
  const char* synonym;
  const char* doc;

  bool sensitive() const { return type == ConfigType::password; }
};

/// All configs of one kind in the order of their names, in pieces.
using Defs = std::array<std::span<const ConfigDef>, 5>;
Defs topic_defs();
Defs broker_defs();
Defs client_metrics_defs();
Defs group_defs();
/// Nothing if there is none of that name.
const ConfigDef* find_def(const Defs& defs, std::string_view name);

/// Why `value` cannot be the value of `def`, as a sentence that names the key; empty if it can.
std::string value_problem(const ConfigDef& def, std::string_view value);

/// Items of a list value: split at commas, blanks around items removed, empty items dropped.
std::vector<std::string> split_list(std::string_view value);
std::string join_list(const std::vector<std::string>& items);

std::optional<std::int64_t> parse_integer(std::string_view text);
std::optional<bool> parse_boolean(std::string_view text);

}  // namespace weir::broker::config
