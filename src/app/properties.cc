#include "app/properties.h"

namespace weir::app {
namespace {

std::string_view trim(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r";
  std::size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

/// Takes one line off the front.
std::string_view take_line(std::string_view& text) {
  std::size_t end = text.find('\n');
  std::string_view line = text.substr(0, end);
  text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  return trim(line);
}

std::unexpected<Error> bad_line(std::string_view file_name, int line, std::string_view what) {
  return fail(ErrorCode::invalid_argument,
              std::string(file_name) + " line " + std::to_string(line) + ": " + std::string(what));
}

std::string_view unquoted(std::string_view value) {
  if (value.size() >= 2 && (value.front() == '"' || value.front() == '\'') &&
      value.back() == value.front())
    return value.substr(1, value.size() - 2);
  return value;
}

}  // namespace

Result<std::vector<cli::FileEntry>> parse_properties(std::string_view text,
                                                     std::string_view file_name) {
  std::vector<cli::FileEntry> entries;
  for (int number = 1; !text.empty(); ++number) {
    std::string_view line = take_line(text);
    if (line.empty() || line.starts_with('#') || line.starts_with('!')) continue;
    std::size_t equals = line.find('=');
    if (equals == std::string_view::npos || equals == 0)
      return bad_line(file_name, number, "is not of the form name=value");
    entries.push_back({.key = std::string(trim(line.substr(0, equals))),
                       .value = std::string(trim(line.substr(equals + 1))),
                       .line = number});
  }
  return entries;
}

Result<cli::Environment> parse_dotenv(std::string_view text) {
  cli::Environment environment;
  for (int number = 1; !text.empty(); ++number) {
    std::string_view line = take_line(text);
    if (line.starts_with("export ")) line = trim(line.substr(7));
    if (line.empty() || line.starts_with('#')) continue;
    std::size_t equals = line.find('=');
    if (equals == std::string_view::npos || equals == 0) {
      if (line.starts_with("WEIR_"))
        return bad_line(".env", number, "is not of the form NAME=value");
      continue;
    }
    std::string name(trim(line.substr(0, equals)));
    environment[name] = unquoted(trim(line.substr(equals + 1)));
  }
  return environment;
}

Result<std::vector<cli::FileEntry>> file_options(const cli::CommandSpec& command,
                                                 std::vector<cli::FileEntry> entries,
                                                 std::string_view file_name) {
  for (cli::FileEntry& entry : entries) {
    const cli::OptionSpec* option = command.find(entry.key);
    bool usable = option && option->from_environment && entry.key != "config-file";
    if (usable) continue;
    if (entry.key == "listeners")
      return bad_line(file_name, entry.line,
                      "'listeners' is Kafka's; weir has 'listen = HOST:PORT', and 'advertise' for "
                      "what clients are told");
    if (entry.key.find('.') == std::string::npos)
      return bad_line(file_name, entry.line,
                      "'" + entry.key +
                          "' is neither an option of weir nor of Kafka; `weir broker --help` lists "
                          "ours, and Kafka's have dots in their names");
    entry.value = entry.key + "=" + entry.value;
    entry.key = "set";
    entry.whole = true;
  }
  return entries;
}

}  // namespace weir::app
