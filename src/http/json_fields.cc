#include "http/json_fields.h"

#include <boost/json.hpp>

#include "http/limits.h"

namespace weir::http {
namespace {

using Fields = std::map<std::string, std::string, std::less<>>;

/// Depth is bounded by the parser.
bool add(const boost::json::value& value, const std::string& path, Fields& fields) {
  if (fields.size() > kJsonFieldsMax) return false;
  std::string prefix = path.empty() ? "" : path + ".";
  if (const auto* object = value.if_object()) {
    for (const auto& [key, member] : *object)
      if (!add(member, prefix + std::string(key), fields)) return false;
  } else if (const auto* array = value.if_array()) {
    for (std::size_t i = 0; i < array->size(); ++i)
      if (!add((*array)[i], prefix + std::to_string(i), fields)) return false;
  } else if (const auto* string = value.if_string()) {
    fields.emplace(path, std::string(*string));
  } else if (!value.is_null()) {
    fields.emplace(path, boost::json::serialize(value));
  }
  return true;
}

}  // namespace

Result<JsonFields> JsonFields::parse(std::string_view text) {
  if (text.size() > kJsonBytesMax)
    return fail(ErrorCode::too_large, "JSON of " + std::to_string(text.size()) + " bytes");
  boost::json::parse_options options;
  options.max_depth = kJsonDepthMax;
  boost::system::error_code problem;
  boost::json::value value = boost::json::parse({text.data(), text.size()}, problem, {}, options);
  if (problem) return fail(ErrorCode::corrupt, "not JSON (" + problem.message() + ")");
  JsonFields out;
  if (!add(value, "", out.fields_)) return fail(ErrorCode::too_large, "JSON with too many fields");
  return out;
}

std::string_view JsonFields::text(std::string_view path) const {
  auto found = fields_.find(path);
  return found == fields_.end() ? std::string_view() : std::string_view(found->second);
}

std::string json_quote(std::string_view text) {
  return boost::json::serialize(
      boost::json::value(boost::json::string_view(text.data(), text.size())));
}

}  // namespace weir::http
