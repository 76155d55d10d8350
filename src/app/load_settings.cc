#include "app/load_settings.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "app/properties.h"

namespace weir::app {
namespace {

constexpr std::size_t kFileBytesMax = 1u << 20;

std::string below(const std::string& directory, const std::string& path) {
  if (directory.empty() || path.starts_with('/')) return path;
  return directory + "/" + path;
}

Result<cli::Environment> read_dotenv(const ProcessInputs& inputs) {
  Result<std::string> text = read_small_file(below(inputs.directory, ".env"));
  if (text) return parse_dotenv(*text);
  if (text.error().is(ErrorCode::not_found)) return cli::Environment();
  return std::unexpected(text.error());
}

/// Which file, if any: the same precedence as for every option, but a file cannot name a file.
std::string config_file_name(const cli::CommandSpec& command, const cli::Arguments& arguments,
                             const cli::Environment& environment, const cli::Environment& dotenv) {
  const cli::OptionSpec* option = command.find("config-file");
  if (!option) return {};
  std::string name;
  for (const cli::Environment* source : {&dotenv, &environment})
    if (auto found = source->find(cli::environment_name(*option));
        found != source->end() && !found->second.empty())
      name = found->second;
  for (const cli::Arguments::Given& given : arguments.options)
    if (given.option == option) name = given.value;
  return name;
}

/// The directory for user data by the XDG convention; empty if the environment names none.
std::string default_store_url(const cli::Environment& environment) {
  std::string path;
  if (auto data = environment.find("XDG_DATA_HOME");
      data != environment.end() && data->second.starts_with('/'))
    path = data->second;
  else if (auto home = environment.find("HOME");
           home != environment.end() && home->second.starts_with('/'))
    path = home->second + "/.local/share";
  if (path.empty()) return {};
  std::string url = "file://";
  for (char c : path + "/weir-data") {
    // These would end the path of a URL.
    if (c == '?')
      url.append("%3F");
    else if (c == '#')
      url.append("%23");
    else if (c == '%')
      url.append("%25");
    else
      url.push_back(c);
  }
  return url;
}

Result<void> add_default_store(cli::Settings& settings, const cli::Environment& environment) {
  if (!settings.command().find("store") || settings.has("store")) return {};
  std::string url = default_store_url(environment);
  if (url.empty())
    return fail(ErrorCode::invalid_argument,
                "there is no HOME to put a default store into; name one with --store URL");
  settings.set("store", {{url, "default"}});
  return {};
}

}  // namespace

Result<cli::Environment> whole_environment(const ProcessInputs& inputs) {
  Result<cli::Environment> dotenv = read_dotenv(inputs);
  if (!dotenv) return dotenv;
  cli::Environment all = inputs.environment;
  all.insert(dotenv->begin(), dotenv->end());
  return all;
}

Result<std::string> read_small_file(const std::string& path) {
  std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen(path.c_str(), "re"), &std::fclose);
  if (!file) {
    ErrorCode code = errno == ENOENT ? ErrorCode::not_found : ErrorCode::configuration;
    return fail(code, "cannot read " + path + ": " + std::strerror(errno));
  }
  std::string text;
  std::array<char, 16u << 10> piece;
  for (std::size_t got = piece.size(); got == piece.size() && text.size() <= kFileBytesMax;) {
    got = std::fread(piece.data(), 1, piece.size(), file.get());
    text.append(piece.data(), got);
  }
  if (std::ferror(file.get()))
    return fail(ErrorCode::configuration, "cannot read " + path + ": " + std::strerror(errno));
  if (text.size() > kFileBytesMax)
    return fail(ErrorCode::too_large, path + " is larger than 1 MiB, too large for options");
  return text;
}

Result<cli::Settings> load_settings(const cli::CommandSpec& command,
                                    const cli::Arguments& arguments, const ProcessInputs& inputs) {
  Result<cli::Environment> dotenv = read_dotenv(inputs);
  if (!dotenv) return std::unexpected(dotenv.error());
  std::string file_name = config_file_name(command, arguments, inputs.environment, *dotenv);
  std::vector<cli::FileEntry> file;
  if (!file_name.empty()) {
    Result<std::string> text = read_small_file(below(inputs.directory, file_name));
    if (!text) return with_context(text.error(), "--config-file");
    Result<std::vector<cli::FileEntry>> entries = parse_properties(*text, file_name);
    if (!entries) return std::unexpected(entries.error());
    Result<std::vector<cli::FileEntry>> options =
        file_options(command, std::move(*entries), file_name);
    if (!options) return std::unexpected(options.error());
    file = std::move(*options);
  }
  Result<cli::Settings> settings =
      cli::resolve_settings(command, {.arguments = arguments,
                                      .environment = inputs.environment,
                                      .dotenv = *dotenv,
                                      .file = file,
                                      .file_name = file_name});
  if (!settings) return settings;
  WEIR_TRY(add_default_store(*settings, inputs.environment));
  return settings;
}

}  // namespace weir::app
