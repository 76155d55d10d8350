// Option tables: what a command accepts, written down once.
//
// One table per command gives its parser, its environment variables, its --help, its shell
// completion and the sources shown by --print-config, so none of them can be forgotten. Tables are
// constants; nothing here registers itself anywhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace weir::cli {

/// Decides how a value is checked, wherever it came from.
enum class OptionKind : std::uint8_t {
  flag,      // no value on the command line; true or false elsewhere
  text,      // anything
  integer,   // a whole number within [least, most]
  size,      // 256MiB
  duration,  // 7d, forever
  url,       // ${VAR} is expanded; must have a scheme
  choice,    // one of `choices`
  file,      // a path
};

/// What several values of one option mean.
enum class Repeat : std::uint8_t {
  last,   // the last one of the strongest source counts
  list,   // all of the strongest source count
  merge,  // all of all sources, weakest source first
};

struct OptionSpec {
  /// Without the dashes.
  std::string_view name;
  OptionKind kind = OptionKind::text;
  /// For --help, as "HOST:PORT".
  std::string_view value_name;
  std::string_view help;
  /// Applies when no source has a value; empty = none.
  std::string_view fallback = {};
  /// How --help describes the default where it is not a constant.
  std::string_view fallback_note = {};
  /// Separated by '|'.
  std::string_view choices = {};
  Repeat repeat = Repeat::last;
  /// Between several values in the environment and in a file.
  char separator = ',';
  std::int64_t least = INT64_MIN;  // of a text: 1 if it may not be empty
  std::int64_t most = INT64_MAX;
  /// Whether WEIR_<NAME> and a configuration file may set it.
  bool from_environment = false;
  /// Shown masked by --print-config.
  bool secret = false;
};

/// "flush-interval-max" -> "WEIR_FLUSH_INTERVAL_MAX".
std::string environment_name(const OptionSpec& option);

struct CommandSpec {
  /// Words after "weir": "topic create".
  std::string_view path;
  std::string_view summary;
  /// Paragraphs for --help.
  std::string_view description = {};
  /// For the usage line: "NAME…"; empty = none.
  std::string_view positionals = {};
  std::size_t positionals_min = 0;
  std::size_t positionals_max = 0;
  std::span<const OptionSpec> options = {};
  /// Options that several commands have in common.
  std::span<const OptionSpec> common = {};
  /// Lines for --help.
  std::string_view examples = {};

  /// Null if there is none of that name.
  const OptionSpec* find(std::string_view name) const;
};

/// The one of `candidates` that `word` was probably meant to be, or nothing.
std::string_view closest(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace weir::cli
