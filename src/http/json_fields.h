// JsonFields: the scalars of a JSON document by their path, for answers and files of web services.
//
// {"a": {"b": "x"}, "list": [{"n": 1}]} has the fields "a.b" = "x" and "list.0.n" = "1". Numbers
// and booleans read as they would be written. A missing field reads as empty text, so that callers
// check what they need. Size, depth and number of fields are limited, since the text comes from a
// peer, and messages never repeat it, since it may hold secrets.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/result.h"

namespace weir::http {

class JsonFields {
 public:
  /// Errors: corrupt; too_large over http/limits.h.
  static Result<JsonFields> parse(std::string_view text);

  bool has(std::string_view path) const { return fields_.contains(path); }
  std::string_view text(std::string_view path) const;

 private:
  std::map<std::string, std::string, std::less<>> fields_;
};

/// `text` as a JSON string, with its quotes.
std::string json_quote(std::string_view text);

}  // namespace weir::http
