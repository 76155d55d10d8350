#include "objstore/url.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace weir::objstore {
namespace {

constexpr std::array<std::string_view, 5> kSchemes = {"file", "memory", "null", "s3", "gs"};

template <class Names>
std::string joined(const Names& names) {
  std::string text;
  for (std::string_view name : names) text += (text.empty() ? "" : ", ") + std::string(name);
  return text;
}

/// Options may hold keys, so messages show what stands before them.
std::unexpected<Error> wrong(std::string_view url, std::string why) {
  std::size_t question = std::min(url.find('?'), url.size());
  return fail(ErrorCode::invalid_argument, "store URL '" + std::string(url.substr(0, question)) +
                                               (question < url.size() ? "?…" : "") +
                                               "': " + std::move(why));
}

int digit_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

Result<std::string> unescape(std::string_view text, std::string_view url) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out.push_back(text[i]);
      continue;
    }
    int high = text.size() - i > 2 ? digit_value(text[i + 1]) : -1;
    int low = text.size() - i > 2 ? digit_value(text[i + 2]) : -1;
    if (high < 0 || low < 0 || (high == 0 && low == 0))
      return wrong(url, "'%' must be followed by two hexadecimal digits, not 00");
    out.push_back(static_cast<char>(high << 4 | low));
    i += 2;
  }
  return out;
}

Result<void> parse_options(std::string_view query, std::string_view text, StoreUrl& url) {
  while (!query.empty()) {
    std::string_view item = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(query.size(), item.size() + 1));
    if (item.empty()) continue;
    std::size_t equals = item.find('=');
    if (equals == 0 || equals == std::string_view::npos)
      return wrong(text, "an option in it is not name=value");
    Result<std::string> value = unescape(item.substr(equals + 1), text);
    if (!value) return std::unexpected(std::move(value).error());
    std::string name(item.substr(0, equals));
    if (!url.options.emplace(name, std::move(*value)).second)
      return wrong(text, "option '" + name + "' is given twice");
  }
  return {};
}

/// True for `yes`, which is also what holds without the option; false for `no`.
Result<bool> one_of(const StoreUrl& url, const std::string& option, std::string_view yes,
                    std::string_view no) {
  auto given = url.options.find(option);
  if (given == url.options.end() || given->second == yes) return true;
  if (given->second == no) return false;
  return fail(ErrorCode::invalid_argument, option + " is '" + std::string(yes) + "' or '" +
                                               std::string(no) + "', not '" + given->second + "'");
}

}  // namespace

Result<std::string> expand_variables(std::string_view text, const Variables& variables) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    if (text.substr(at).starts_with("$${")) {
      out += "${";
      at += 3;
      continue;
    }
    if (!text.substr(at).starts_with("${")) {
      out.push_back(text[at++]);
      continue;
    }
    std::size_t end = text.find('}', at);
    if (end == std::string_view::npos)
      return fail(ErrorCode::invalid_argument, "'${' without '}' in '" + std::string(text) + "'");
    std::string_view name = text.substr(at + 2, end - at - 2);
    auto found = variables.find(name);
    if (found == variables.end())
      return fail(ErrorCode::invalid_argument, "variable ${" + std::string(name) +
                                                   "} is not set, in '" + std::string(text) + "'");
    out += found->second;
    at = end + 1;
  }
  return out;
}

Result<StoreUrl> parse_store_url(std::string_view raw, const Variables& variables) {
  Result<std::string> expanded = expand_variables(raw, variables);
  if (!expanded) return std::unexpected(std::move(expanded).error());
  std::string_view text = *expanded;
  StoreUrl url;
  std::size_t colon = text.find("://");
  // The messages show the URL as written: what a variable holds may be a secret.
  if (colon == std::string_view::npos || colon == 0)
    return wrong(raw, "expected SCHEME://…, with one of " + joined(kSchemes));
  url.scheme = text.substr(0, colon);
  std::ranges::transform(url.scheme, url.scheme.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (std::ranges::find(kSchemes, url.scheme) == kSchemes.end())
    return wrong(raw, "unknown scheme '" + url.scheme + "', known are " + joined(kSchemes));
  std::string_view rest = text.substr(colon + 3);
  std::size_t question = rest.find('?');
  if (question != std::string_view::npos) {
    WEIR_TRY(parse_options(rest.substr(question + 1), raw, url));
    rest = rest.substr(0, question);
  }
  std::size_t slash = std::min(rest.find('/'), rest.size());
  url.authority = rest.substr(0, slash);
  Result<std::string> path = unescape(rest.substr(slash), raw);
  if (!path) return std::unexpected(std::move(path).error());
  url.path = std::move(*path);
  while (url.path.size() > 1 && url.path.ends_with('/')) url.path.pop_back();
  bool bucket = url.scheme == "s3" || url.scheme == "gs";
  if (bucket && url.authority.empty()) return wrong(raw, "expected " + url.scheme + "://BUCKET/…");
  if (!bucket && !url.authority.empty())
    return wrong(raw, url.scheme == "file" ? "a file URL has three slashes: file:///path"
                                           : "expected " + url.scheme + "://");
  return url;
}

Result<void> check_options(const StoreUrl& url, std::initializer_list<std::string_view> known) {
  for (const auto& [name, value] : url.options) {
    if (std::ranges::find(known, name) != known.end()) continue;
    std::string list = known.size() == 0 ? "none" : joined(known);
    return fail(ErrorCode::invalid_argument, "unknown option '" + name + "', known are " + list);
  }
  return {};
}

Result<FileUrl> file_url(const StoreUrl& url) {
  WEIR_TRY(check_options(url, {"sync", "direct"}));
  FileUrl file;
  file.path = url.path;
  if (file.path.empty() || file.path == "/")
    return fail(ErrorCode::invalid_argument, "expected file:///DIRECTORY");
  Result<bool> sync = one_of(url, "sync", "full", "none");
  if (!sync) return std::unexpected(std::move(sync).error());
  file.sync = *sync;
  Result<bool> direct = one_of(url, "direct", "auto", "never");
  if (!direct) return std::unexpected(std::move(direct).error());
  file.direct = *direct;
  return file;
}

}  // namespace weir::objstore
