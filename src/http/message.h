// HTTP requests and responses as plain values.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weir::http {

struct Request {
  /// "GET", as it was sent.
  std::string method;
  /// The target without its query: "/metrics".
  std::string path;
  /// What stands after '?', undecoded.
  std::string query;
  /// Names in lower case, in the order of arrival.
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  bool keep_alive = true;

  /// The first field of that lower-case name; null if there is none.
  const std::string* header(std::string_view name) const;
  /// The undecoded value of `name=…` in the query; null text if absent.
  std::string_view query_value(std::string_view name) const;
};

struct Response {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers = {};
};

/// "Not Found" for 404; "Unknown" for a status that this server does not use.
std::string_view reason_of(int status);

/// Status line and header fields of `response`, with the empty line at the end.
std::string encode_head(const Response& response, bool keep_alive);

}  // namespace weir::http
