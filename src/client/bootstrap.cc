#include "client/bootstrap.h"

#include <charconv>

#include "client/limits.h"

namespace weir::client {
namespace {

std::unexpected<Error> bad_endpoint(std::string_view text, std::string_view what) {
  return fail(ErrorCode::invalid_argument, "'" + std::string(text) + "' " + std::string(what) +
                                               "; write HOST:PORT, for example localhost:9092");
}

bool is_host_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '-' || c == '_';
}

}  // namespace

Result<rt::Endpoint> parse_endpoint(std::string_view text) {
  std::string_view host;
  std::string_view rest;
  if (text.starts_with('[')) {
    std::size_t end = text.find(']');
    if (end == std::string_view::npos) return bad_endpoint(text, "lacks a closing bracket");
    host = text.substr(1, end - 1);
    rest = text.substr(end + 1);
  } else {
    std::size_t colon = text.find(':');
    host = text.substr(0, colon);
    rest = colon == std::string_view::npos ? std::string_view() : text.substr(colon);
    if (host != "*")
      for (char c : host)
        if (!is_host_character(c)) return bad_endpoint(text, "has a character no host name has");
  }
  if (rest.empty() || rest.front() != ':') return bad_endpoint(text, "has no port");
  rest.remove_prefix(1);
  if (rest.find(':') != std::string_view::npos)
    return bad_endpoint(text, "has several colons (IPv6 addresses stand in brackets)");
  std::uint16_t port = 0;
  auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), port);
  if (error != std::errc() || end != rest.data() + rest.size())
    return bad_endpoint(text, "has a port that is not a number from 0 to 65535");
  return rt::Endpoint{.host = std::string(host), .port = port};
}

Result<std::vector<rt::Endpoint>> parse_bootstrap(std::string_view text) {
  std::vector<rt::Endpoint> endpoints;
  while (!text.empty()) {
    std::size_t comma = text.find(',');
    Result<rt::Endpoint> endpoint = parse_endpoint(text.substr(0, comma));
    if (!endpoint) return std::unexpected(endpoint.error());
    if (endpoint->host.empty() || endpoint->host == "*" || endpoint->port == 0)
      return bad_endpoint(text.substr(0, comma), "names nothing that can be connected to");
    endpoints.push_back(std::move(*endpoint));
    if (endpoints.size() > kBootstrapEndpointsMax)
      return fail(ErrorCode::invalid_argument, "too many bootstrap addresses");
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
  }
  if (endpoints.empty()) return bad_endpoint(text, "is empty");
  return endpoints;
}

}  // namespace weir::client
