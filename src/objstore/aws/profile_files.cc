#include "objstore/aws/profile_files.h"

#include <algorithm>
#include <cctype>

#include "objstore/aws/limits.h"

namespace weir::objstore::aws {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r'; }

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

/// What stands before " #" or " ;".
std::string_view without_comment(std::string_view value) {
  for (std::size_t i = 1; i < value.size(); ++i)
    if ((value[i] == '#' || value[i] == ';') && is_space(value[i - 1])) return value.substr(0, i);
  return value;
}

/// Calls `section(header)` for "[header]" and `property(name, value)` for "name = value".
template <class Section, class Property>
Result<void> read_lines(std::string_view text, Section section, Property property) {
  int number = 0;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    ++number;
    std::string_view words = trim(line);
    if (words.empty() || words.front() == '#' || words.front() == ';') continue;
    if (is_space(line.front())) continue;
    std::size_t end = words.find(words.front() == '[' ? ']' : '=');
    if (end == std::string_view::npos)
      return fail(ErrorCode::configuration,
                  "line " + std::to_string(number) + ": expected [section] or name = value");
    if (words.front() == '[') {
      section(trim(words.substr(1, end - 1)));
    } else {
      property(lower(trim(words.substr(0, end))),
               std::string(trim(without_comment(words.substr(end + 1)))));
    }
  }
  return {};
}

std::string value_of(const Properties& properties, std::string_view name) {
  auto found = properties.find(name);
  return found == properties.end() ? std::string() : found->second;
}

bool has(const Properties& properties, std::string_view name) {
  return !value_of(properties, name).empty();
}

std::unexpected<Error> wrong(std::string_view profile, std::string why) {
  return fail(ErrorCode::configuration,
              "AWS profile '" + std::string(profile) + "': " + std::move(why));
}

Result<ProfileBase> base_of_source(std::string_view profile, const std::string& source) {
  if (source == "Environment") return ProfileBase::environment;
  if (source == "Ec2InstanceMetadata") return ProfileBase::instance;
  if (source == "EcsContainer") return ProfileBase::container;
  return wrong(profile, "credential_source is Environment, Ec2InstanceMetadata or EcsContainer");
}

/// What a profile without a role has of its own.
Result<void> plan_base(const ProfileFiles& files, std::string_view name,
                       const Properties& properties, ProfilePlan& plan) {
  plan.properties = properties;
  if (has(properties, "aws_access_key_id")) {
    if (!has(properties, "aws_secret_access_key"))
      return wrong(name, "aws_access_key_id without aws_secret_access_key");
    plan.base = ProfileBase::keys;
    return {};
  }
  if (has(properties, "sso_session") || has(properties, "sso_start_url")) {
    plan.base = ProfileBase::sso;
    std::string session = value_of(properties, "sso_session");
    if (!session.empty()) {
      auto found = files.sso_sessions.find(session);
      if (found == files.sso_sessions.end())
        return wrong(name, "there is no [sso-session " + session + "]");
      plan.properties.insert(found->second.begin(), found->second.end());
    }
    for (const char* needed : {"sso_region", "sso_start_url", "sso_account_id", "sso_role_name"})
      if (!has(plan.properties, needed)) return wrong(name, std::string("lacks ") + needed);
    return {};
  }
  if (has(properties, "credential_process")) {
    plan.base = ProfileBase::process;
    return {};
  }
  return fail(ErrorCode::not_found, "AWS profile '" + std::string(name) + "' has no credentials");
}

/// The roles are collected from the asked profile towards the base, so in reverse.
Result<void> plan_step(const ProfileFiles& files, std::string_view name, int depth,
                       ProfilePlan& plan) {
  if (depth > kProfileChainMax)
    return wrong(name, "its source_profile leads in a circle, or through too many profiles");
  auto found = files.profiles.find(name);
  if (found == files.profiles.end()) {
    std::string what = "there is no AWS profile '" + std::string(name) + "'";
    if (depth > 0) return fail(ErrorCode::configuration, what + ", which a source_profile names");
    return fail(ErrorCode::not_found, what);
  }
  const Properties& properties = found->second;
  if (plan.region.empty()) plan.region = value_of(properties, "region");
  if (!has(properties, "role_arn")) return plan_base(files, name, properties, plan);
  if (has(properties, "mfa_serial"))
    return wrong(name, "mfa_serial asks a person for a code, which a broker cannot answer");
  if (has(properties, "web_identity_token_file")) {
    plan.base = ProfileBase::web_identity;
    plan.properties = properties;
    return {};
  }
  plan.roles.push_back({value_of(properties, "role_arn"), value_of(properties, "role_session_name"),
                        value_of(properties, "external_id"),
                        value_of(properties, "duration_seconds")});
  std::string source = value_of(properties, "source_profile");
  std::string where = value_of(properties, "credential_source");
  if (source.empty() == where.empty())
    return wrong(name, "role_arn needs source_profile or credential_source, and not both");
  if (!where.empty()) {
    auto base = base_of_source(name, where);
    if (!base) return std::unexpected(base.error());
    plan.base = *base;
    return {};
  }
  // A profile that names itself means its own keys.
  if (source == name) return plan_base(files, name, properties, plan);
  return plan_step(files, source, depth + 1, plan);
}

}  // namespace

Result<void> ProfileFiles::add_config(std::string_view text) {
  Properties* current = nullptr;
  auto section = [&](std::string_view header) {
    std::size_t space = std::min(header.find_first_of(" \t"), header.size());
    std::string_view kind = header.substr(0, space);
    std::string name(trim(header.substr(space)));
    current = nullptr;
    if (kind == "profile" && !name.empty()) current = &profiles[name];
    if (kind == "sso-session" && !name.empty()) current = &sso_sessions[name];
    if (header == "default") current = &profiles["default"];
  };
  auto property = [&](std::string name, std::string value) {
    // What the credentials file said stays.
    if (current) current->emplace(std::move(name), std::move(value));
  };
  return read_lines(text, section, property);
}

Result<void> ProfileFiles::add_credentials(std::string_view text) {
  Properties* current = nullptr;
  auto section = [&](std::string_view header) { current = &profiles[std::string(header)]; };
  auto property = [&](std::string name, std::string value) {
    if (current) current->insert_or_assign(std::move(name), std::move(value));
  };
  return read_lines(text, section, property);
}

Result<ProfilePlan> plan_of(const ProfileFiles& files, std::string_view profile) {
  ProfilePlan plan;
  WEIR_TRY(plan_step(files, profile, 0, plan));
  std::ranges::reverse(plan.roles);
  return plan;
}

}  // namespace weir::objstore::aws
