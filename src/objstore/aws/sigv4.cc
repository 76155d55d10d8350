#include "objstore/aws/sigv4.h"

#include <algorithm>
#include <cctype>
#include <vector>

#include "crypto/digest.h"

namespace weir::objstore::aws {
namespace {

constexpr std::string_view kAlgorithm = "AWS4-HMAC-SHA256";

struct Url {
  std::string_view host;
  std::string_view path;
  std::string_view query;
};

Url split(std::string_view text) {
  Url url;
  std::size_t scheme = text.find("://");
  if (scheme != std::string_view::npos) text.remove_prefix(scheme + 3);
  std::size_t end = std::min(text.find_first_of("/?"), text.size());
  url.host = text.substr(0, end);
  text.remove_prefix(end);
  std::size_t question = std::min(text.find('?'), text.size());
  url.path = text.substr(0, question);
  if (question < text.size()) url.query = text.substr(question + 1);
  if (url.path.empty()) url.path = "/";
  return url;
}

/// Sorted by name, then by value; a name without a value gets an empty one.
std::string canonical_query(std::string_view query) {
  std::vector<std::pair<std::string_view, std::string_view>> items;
  while (!query.empty()) {
    std::string_view item = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(query.size(), item.size() + 1));
    if (item.empty()) continue;
    std::size_t equals = std::min(item.find('='), item.size());
    items.emplace_back(item.substr(0, equals), item.substr(std::min(equals + 1, item.size())));
  }
  std::ranges::sort(items);
  std::string out;
  for (const auto& [name, value] : items) {
    if (!out.empty()) out.push_back('&');
    out.append(name).append("=").append(value);
  }
  return out;
}

/// Without white space at both ends; runs of spaces inside become one.
std::string canonical_value(std::string_view value) {
  std::string out;
  for (char c : value) {
    bool space = c == ' ' || c == '\t';
    if (space && (out.empty() || out.back() == ' ')) continue;
    out.push_back(space ? ' ' : c);
  }
  if (out.ends_with(' ')) out.pop_back();
  return out;
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

struct CanonicalHeaders {
  std::string lines;
  std::string names;
};

CanonicalHeaders canonical_headers(const http::HeaderFields& fields, std::string_view host) {
  std::vector<std::pair<std::string, std::string>> sorted;
  sorted.emplace_back("host", host);
  for (const auto& [name, value] : fields) sorted.emplace_back(lower(name), canonical_value(value));
  // Fields of one name keep their order: their values are joined.
  std::ranges::stable_sort(sorted, {},
                           [](const auto& field) -> const std::string& { return field.first; });
  CanonicalHeaders out;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (i > 0 && sorted[i].first == sorted[i - 1].first) {
      out.lines.back() = ',';
    } else {
      out.names += (i > 0 ? ";" : "") + sorted[i].first;
      out.lines += sorted[i].first + ":";
    }
    out.lines += sorted[i].second + "\n";
  }
  return out;
}

crypto::Sha256 hmac(Bytes key, std::string_view message) {
  return crypto::hmac_sha256({key, as_bytes(message)});
}

std::string hex_sha256(std::string_view text) { return to_hex(crypto::sha256(as_bytes(text))); }

crypto::Sha256 signing_key(const Signing& signing, std::string_view day) {
  std::string secret = "AWS4" + signing.credentials.secret_access_key.reveal();
  crypto::Sha256 key = hmac(as_bytes(secret), day);
  key = hmac(key, signing.region);
  key = hmac(key, signing.service);
  return hmac(key, "aws4_request");
}

bool stands_for_itself(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("-._~").contains(c);
}

void append_digits(std::string& out, unsigned value, int width) {
  std::string digits = std::to_string(value);
  out.append(static_cast<std::size_t>(std::max(0, width - static_cast<int>(digits.size()))), '0');
  out += digits;
}

}  // namespace

std::string payload_hash(const BytesChain& body) { return to_hex(crypto::sha256(body.views())); }

std::string uri_escape(std::string_view text, Slash slash) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string out;
  out.reserve(text.size() + text.size() / 4);
  for (char c : text) {
    if (stands_for_itself(c) || (c == '/' && slash == Slash::keep)) {
      out.push_back(c);
      continue;
    }
    auto byte = static_cast<unsigned char>(c);
    out.push_back('%');
    out.push_back(kDigits[byte >> 4]);
    out.push_back(kDigits[byte & 15]);
  }
  return out;
}

std::string signing_time(WallMillis now) {
  namespace chrono = std::chrono;
  chrono::sys_time<chrono::milliseconds> time{chrono::milliseconds(now.value)};
  auto day = chrono::floor<chrono::days>(time);
  chrono::year_month_day date(day);
  chrono::hh_mm_ss clock(chrono::floor<chrono::seconds>(time - day));
  std::string out;
  append_digits(out, static_cast<unsigned>(std::max(0, static_cast<int>(date.year()))), 4);
  append_digits(out, static_cast<unsigned>(date.month()), 2);
  append_digits(out, static_cast<unsigned>(date.day()), 2);
  out.push_back('T');
  append_digits(out, static_cast<unsigned>(clock.hours().count()), 2);
  append_digits(out, static_cast<unsigned>(clock.minutes().count()), 2);
  append_digits(out, static_cast<unsigned>(clock.seconds().count()), 2);
  out.push_back('Z');
  return out;
}

void sign(http::ClientRequest& request, const Signing& signing) {
  std::string time = signing_time(signing.now);
  std::string_view day = std::string_view(time).substr(0, 8);
  request.headers.emplace_back("x-amz-date", time);
  if (signing.send_payload_hash)
    request.headers.emplace_back("x-amz-content-sha256", signing.payload);
  if (!signing.credentials.session_token.empty())
    request.headers.emplace_back(signing.token_header, signing.credentials.session_token.reveal());

  Url url = split(request.url);
  CanonicalHeaders headers = canonical_headers(request.headers, url.host);
  std::string canonical(to_string(request.method));
  canonical.append("\n").append(url.path).append("\n").append(canonical_query(url.query));
  canonical.append("\n").append(headers.lines).append("\n").append(headers.names);
  canonical.append("\n").append(signing.payload);

  std::string scope(day);
  scope.append("/").append(signing.region).append("/").append(signing.service);
  scope += "/aws4_request";
  std::string to_sign(kAlgorithm);
  to_sign.append("\n").append(time).append("\n").append(scope).append("\n");
  to_sign += hex_sha256(canonical);
  std::string signature = to_hex(hmac(signing_key(signing, day), to_sign));

  std::string authorization(kAlgorithm);
  authorization.append(" Credential=").append(signing.credentials.access_key_id).append("/");
  authorization.append(scope).append(", SignedHeaders=").append(headers.names);
  authorization.append(", Signature=").append(signature);
  request.headers.emplace_back("authorization", std::move(authorization));
}

}  // namespace weir::objstore::aws
