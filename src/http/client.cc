#include "http/client.h"

#include <algorithm>

#include "base/ensure.h"

namespace weir::http {

std::string_view to_string(Method method) {
  switch (method) {
    case Method::get: return "GET";
    case Method::head: return "HEAD";
    case Method::put: return "PUT";
    case Method::post: return "POST";
    case Method::patch: return "PATCH";
    case Method::remove: return "DELETE";
  }
  ENSURE(false);
  return "";
}

const std::string* ClientResponse::header(std::string_view name) const {
  auto found = std::ranges::find(headers, name, [](const auto& field) { return field.first; });
  return found == headers.end() ? nullptr : &found->second;
}

}  // namespace weir::http
