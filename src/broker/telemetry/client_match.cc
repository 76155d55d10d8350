#include "broker/telemetry/client_match.h"

#include <re2/re2.h>

#include "broker/limits.h"

namespace weir::broker::telemetry {
namespace {

struct Selector {
  std::string_view name;
  std::string ClientTraits::* trait;
};
constexpr Selector kSelectors[] = {
    {"client_instance_id", &ClientTraits::client_instance_id},
    {"client_id", &ClientTraits::client_id},
    {"client_software_name", &ClientTraits::client_software_name},
    {"client_software_version", &ClientTraits::client_software_version},
    {"client_source_address", &ClientTraits::client_source_address},
    {"client_source_port", &ClientTraits::client_source_port},
};

}  // namespace

ClientMatch::ClientMatch(ClientMatch&&) noexcept = default;
ClientMatch& ClientMatch::operator=(ClientMatch&&) noexcept = default;
ClientMatch::~ClientMatch() = default;

Result<ClientMatch> ClientMatch::parse(const std::vector<std::string>& patterns) {
  const auto illegal = [](const std::string& pattern) {
    return fail(ErrorCode::invalid_argument, "Illegal client matching pattern: " + pattern);
  };
  ClientMatch out;
  for (const std::string& pattern : patterns) {
    const std::size_t equals = pattern.find('=');
    if (equals == std::string::npos || out.rules_.size() == kTelemetryMatchRulesMax)
      return illegal(pattern);
    std::string ClientTraits::* trait = nullptr;
    for (const Selector& selector : kSelectors)
      if (std::string_view(pattern).substr(0, equals) == selector.name) trait = selector.trait;
    if (!trait) return illegal(pattern);
    re2::RE2::Options options;
    options.set_log_errors(false);
    options.set_max_mem(static_cast<std::int64_t>(kTelemetryPatternBytesMax));
    auto compiled = std::make_unique<re2::RE2>(pattern.substr(equals + 1), options);
    if (!compiled->ok()) return illegal(pattern);
    out.rules_.push_back({trait, std::move(compiled)});
  }
  return out;
}

bool ClientMatch::matches(const ClientTraits& client) const {
  for (const Rule& rule : rules_)
    if (!re2::RE2::FullMatch(client.*rule.trait, *rule.pattern)) return false;
  return true;
}

}  // namespace weir::broker::telemetry
