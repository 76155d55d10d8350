// The two treatments of text that settings need: ${VAR} expansion and masking of secrets.
#include "cli/settings.h"

namespace weir::cli {
namespace {

constexpr std::string_view kMask = "********";

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

bool names_a_secret(std::string_view key) {
  std::string lower = lower_case(key);
  for (std::string_view part : {"secret", "password", "passwd", "token", "credential", "jaas",
                                "access_key", "accesskey", "private"})
    if (lower.find(part) != std::string::npos) return true;
  return false;
}

const std::string* find_variable(std::string_view name, const Environment& environment,
                                 const Environment& dotenv) {
  for (const Environment* source : {&environment, &dotenv})
    if (auto found = source->find(name); found != source->end()) return &found->second;
  return nullptr;
}

/// "key=value" pairs with '&' between.
std::string mask_query(std::string_view query) {
  std::string out;
  while (!query.empty()) {
    std::size_t end = query.find('&');
    std::string_view pair = query.substr(0, end);
    std::size_t equals = pair.find('=');
    // The address of a proxy may hold a password.
    if (equals != std::string_view::npos && (names_a_secret(pair.substr(0, equals)) ||
                                             pair.find('@', equals) != std::string_view::npos))
      out.append(pair.substr(0, equals + 1)).append(kMask);
    else
      out.append(pair);
    if (end == std::string_view::npos) break;
    out.push_back('&');
    query = query.substr(end + 1);
  }
  return out;
}

}  // namespace

Result<std::string> expand_variables(std::string_view text, const Environment& environment,
                                     const Environment& dotenv) {
  std::string out;
  for (;;) {
    std::size_t begin = text.find("${");
    out.append(text.substr(0, begin));
    if (begin == std::string_view::npos) return out;
    std::size_t end = text.find('}', begin);
    if (end == std::string_view::npos)
      return fail(ErrorCode::invalid_argument,
                  "'${' without a closing brace; write ${VAR} to insert a variable");
    std::string_view name = text.substr(begin + 2, end - begin - 2);
    const std::string* value = find_variable(name, environment, dotenv);
    if (!value)
      return fail(ErrorCode::invalid_argument, "the variable " + std::string(name) +
                                                   " is not set; set it in the environment or in "
                                                   ".env");
    out.append(*value);
    text = text.substr(end + 1);
  }
}

std::string mask_secrets(std::string_view text) {
  std::size_t scheme = text.find("://");
  if (scheme == std::string_view::npos) {
    std::size_t equals = text.find('=');
    if (equals == std::string_view::npos || !names_a_secret(text.substr(0, equals)))
      return std::string(text);
    return std::string(text.substr(0, equals + 1)).append(kMask);
  }
  std::string out(text.substr(0, scheme + 3));
  std::string_view rest = text.substr(scheme + 3);
  std::size_t authority_end = rest.find_first_of("/?#");
  std::string_view authority = rest.substr(0, authority_end);
  if (std::size_t at = authority.rfind('@'); at != std::string_view::npos) {
    std::size_t colon = authority.substr(0, at).find(':');
    out.append(colon == std::string_view::npos ? authority.substr(0, at)
                                               : authority.substr(0, colon));
    if (colon != std::string_view::npos) out.append(":").append(kMask);
    out.append(authority.substr(at));
  } else {
    out.append(authority);
  }
  if (authority_end == std::string_view::npos) return out;
  rest = rest.substr(authority_end);
  std::size_t query = rest.find('?');
  out.append(rest.substr(0, query));
  if (query != std::string_view::npos) out.append("?").append(mask_query(rest.substr(query + 1)));
  return out;
}

}  // namespace weir::cli
