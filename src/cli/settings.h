// Settings: the effective value of every option of a command, and where each came from.
//
// Sources, strongest first: the command line, the environment, a `.env` file, a configuration file,
// the default in the table. Every value is checked against its table here, so that a message can
// name the source, and so that readers of a Settings object need not fail.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "cli/arguments.h"
#include "cli/option_table.h"

namespace weir::cli {

/// Names and values of an environment: the process's, a `.env` file's, or a test's.
using Environment = std::map<std::string, std::string, std::less<>>;

/// One `key=value` of a configuration file.
struct FileEntry {
  std::string key;
  std::string value;
  int line = 0;
  /// The value is one value, whatever separators it holds.
  bool whole = false;
};

struct SettingSources {
  const Arguments& arguments;
  const Environment& environment;
  const Environment& dotenv;
  /// Empty when there is no file.
  const std::vector<FileEntry>& file;
  std::string_view file_name = {};
};

struct Setting {
  /// As it is used: after ${VAR} expansion.
  std::string text;
  /// "--memory", "WEIR_MEMORY", "WEIR_MEMORY in .env", "weir.properties line 3", "default".
  std::string source;
};

class Settings {
 public:
  explicit Settings(const CommandSpec& command) : command_(command) {}

  /// No values if none was given and there is no default. The option must be in the table.
  const std::vector<Setting>& all(std::string_view option) const;
  bool has(std::string_view option) const { return !all(option).empty(); }
  /// The rest are for options that have a value.
  const Setting& one(std::string_view option) const;
  const std::string& text(std::string_view option) const { return one(option).text; }
  bool flag(std::string_view option) const;
  std::int64_t integer(std::string_view option) const;
  std::uint64_t size(std::string_view option) const;
  /// Nothing = forever.
  std::optional<Duration> duration(std::string_view option) const;

  const CommandSpec& command() const { return command_; }
  void set(std::string_view option, std::vector<Setting> values);

 private:
  const CommandSpec& command_;
  std::map<std::string, std::vector<Setting>, std::less<>> values_;
};

/// Errors: invalid_argument: what is wrong, where it came from, what to do.
Result<Settings> resolve_settings(const CommandSpec& command, const SettingSources& sources);

/// "name = value  # source" for every option; secrets are masked. `computed`: what an option that
/// was not given comes to on this machine.
std::string describe_settings(const Settings& settings,
                              const std::map<std::string_view, std::string>& computed = {});

/// `text` without passwords: user information and telling query parameters of a URL, and values
/// whose key names a secret.
std::string mask_secrets(std::string_view text);

/// Replaces each ${VAR} by its value. Errors: invalid_argument (unknown variable, no closing
/// brace).
Result<std::string> expand_variables(std::string_view text, const Environment& environment,
                                     const Environment& dotenv);

}  // namespace weir::cli
