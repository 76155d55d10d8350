#include "http/message.h"

namespace weir::http {

const std::string* Request::header(std::string_view name) const {
  for (const auto& [field, value] : headers)
    if (field == name) return &value;
  return nullptr;
}

std::string_view Request::query_value(std::string_view name) const {
  std::string_view rest = query;
  while (!rest.empty()) {
    std::size_t end = rest.find('&');
    std::string_view pair = rest.substr(0, end);
    std::size_t equals = pair.find('=');
    if (pair.substr(0, equals) == name)
      return equals == std::string_view::npos ? std::string_view("") : pair.substr(equals + 1);
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
  }
  return {};
}

std::string_view reason_of(int status) {
  switch (status) {
    case 200: return "OK";
    case 204: return "No Content";
    case 400: return "Bad Request";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 413: return "Content Too Large";
    case 431: return "Request Header Fields Too Large";
    case 500: return "Internal Server Error";
    case 501: return "Not Implemented";
    case 503: return "Service Unavailable";
    case 504: return "Gateway Timeout";
    case 505: return "HTTP Version Not Supported";
    default: return "Unknown";
  }
}

std::string encode_head(const Response& response, bool keep_alive) {
  std::string head = "HTTP/1.1 " + std::to_string(response.status) + " ";
  head.append(reason_of(response.status)).append("\r\n");
  head.append("Content-Type: ").append(response.content_type).append("\r\n");
  head.append("Content-Length: ").append(std::to_string(response.body.size())).append("\r\n");
  head.append("Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n");
  for (const auto& [name, value] : response.headers)
    head.append(name).append(": ").append(value).append("\r\n");
  if (!keep_alive) head.append("Connection: close\r\n");
  return head.append("\r\n");
}

}  // namespace weir::http
