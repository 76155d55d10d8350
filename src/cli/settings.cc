#include "cli/settings.h"

#include "base/ensure.h"
#include "base/units.h"
#include "cli/option_check.h"

namespace weir::cli {
namespace {

std::string flag_source(const OptionSpec& option) { return "--" + std::string(option.name); }

std::vector<std::string> split(std::string_view text, const OptionSpec& option) {
  std::vector<std::string> parts;
  if (option.repeat == Repeat::last) return {std::string(text)};
  while (!text.empty()) {
    std::size_t at = text.find(option.separator);
    if (at != 0) parts.emplace_back(text.substr(0, at));
    text = at == std::string_view::npos ? std::string_view() : text.substr(at + 1);
  }
  return parts;
}

void append_from_environment(std::vector<Setting>& values, const OptionSpec& option,
                             const Environment& environment, std::string_view suffix) {
  std::string name = environment_name(option);
  auto found = environment.find(name);
  // An empty variable is how scripts and compose files unset one.
  if (found == environment.end() || found->second.empty()) return;
  for (std::string& part : split(found->second, option))
    values.push_back({std::move(part), name + std::string(suffix)});
}

void append_from_file(std::vector<Setting>& values, const OptionSpec& option,
                      const SettingSources& sources) {
  for (const FileEntry& entry : sources.file) {
    if (entry.key != option.name) continue;
    std::vector<std::string> parts =
        entry.whole ? std::vector{entry.value} : split(entry.value, option);
    for (std::string& part : parts)
      values.push_back({std::move(part),
                        std::string(sources.file_name) + " line " + std::to_string(entry.line)});
  }
}

/// One list of values per source that has any, weakest source first.
std::vector<std::vector<Setting>> gather(const OptionSpec& option, const SettingSources& sources) {
  std::vector<std::vector<Setting>> layers;
  if (!option.fallback.empty()) layers.push_back({{std::string(option.fallback), "default"}});
  if (option.from_environment) {
    append_from_file(layers.emplace_back(), option, sources);
    append_from_environment(layers.emplace_back(), option, sources.dotenv, " in .env");
    append_from_environment(layers.emplace_back(), option, sources.environment, "");
  }
  std::vector<Setting>& given = layers.emplace_back();
  for (const Arguments::Given& g : sources.arguments.options)
    if (g.option == &option) given.push_back({g.value, flag_source(option)});
  std::erase_if(layers, [](const std::vector<Setting>& layer) { return layer.empty(); });
  return layers;
}

std::vector<Setting> choose(const OptionSpec& option, std::vector<std::vector<Setting>> layers) {
  if (layers.empty()) return {};
  std::vector<Setting> chosen;
  if (option.repeat == Repeat::merge) {
    for (std::vector<Setting>& layer : layers)
      for (Setting& value : layer) chosen.push_back(std::move(value));
    return chosen;
  }
  chosen = std::move(layers.back());
  if (option.repeat == Repeat::last && chosen.size() > 1)
    chosen.erase(chosen.begin(), chosen.end() - 1);
  return chosen;
}

Result<void> finish(const OptionSpec& option, Setting& value, const SettingSources& sources) {
  if (option.kind == OptionKind::url && value.source != "default") {
    Result<std::string> expanded =
        expand_variables(value.text, sources.environment, sources.dotenv);
    if (!expanded) return with_context(expanded.error(), value.source);
    value.text = std::move(*expanded);
  }
  if (Result<void> checked = check_value(option, value.text); !checked)
    return with_context(checked.error(), value.source);
  return {};
}

}  // namespace

Result<Settings> resolve_settings(const CommandSpec& command, const SettingSources& sources) {
  Settings settings(command);
  for (std::span<const OptionSpec> table : {command.options, command.common}) {
    for (const OptionSpec& option : table) {
      std::vector<Setting> values = choose(option, gather(option, sources));
      for (Setting& value : values) WEIR_TRY(finish(option, value, sources));
      settings.set(option.name, std::move(values));
    }
  }
  return settings;
}

const std::vector<Setting>& Settings::all(std::string_view option) const {
  auto found = values_.find(option);
  ENSURE(found != values_.end());
  return found->second;
}

const Setting& Settings::one(std::string_view option) const {
  const std::vector<Setting>& values = all(option);
  ENSURE(!values.empty());
  return values.back();
}

bool Settings::flag(std::string_view option) const { return has(option) && text(option) == "true"; }

std::int64_t Settings::integer(std::string_view option) const {
  Result<std::int64_t> value = parse_integer(text(option));
  ENSURE(value.has_value());
  return *value;
}

std::uint64_t Settings::size(std::string_view option) const {
  Result<std::uint64_t> value = parse_size(text(option));
  ENSURE(value.has_value());
  return *value;
}

std::optional<Duration> Settings::duration(std::string_view option) const {
  Result<std::optional<Duration>> value = parse_duration(text(option));
  ENSURE(value.has_value());
  return *value;
}

void Settings::set(std::string_view option, std::vector<Setting> values) {
  values_[std::string(option)] = std::move(values);
}

std::string describe_settings(const Settings& settings,
                              const std::map<std::string_view, std::string>& computed) {
  std::string out;
  for (std::span<const OptionSpec> table :
       {settings.command().options, settings.command().common}) {
    for (const OptionSpec& option : table) {
      if (!option.from_environment) continue;
      const std::vector<Setting>& values = settings.all(option.name);
      if (auto found = computed.find(option.name); values.empty() && found != computed.end())
        out.append(option.name)
            .append(" = ")
            .append(found->second)
            .append("  # ")
            .append(option.fallback_note)
            .append("\n");
      else if (values.empty())
        out.append(option.name)
            .append(" = (")
            .append(option.fallback_note.empty() ? "unset" : option.fallback_note)
            .append(")\n");
      for (const Setting& value : values)
        out.append(option.name)
            .append(" = ")
            .append(option.secret ? "********" : mask_secrets(value.text))
            .append("  # ")
            .append(value.source)
            .append("\n");
    }
  }
  return out;
}

}  // namespace weir::cli
