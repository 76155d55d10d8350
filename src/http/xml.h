// The part of XML that answers of web services use: elements, text, nothing else.
//
// Namespaces and attributes are dropped (`<s3:Key a="b">` is `Key`), entities are resolved,
// document types are ignored. Size, depth and number of elements are limited, since the text comes
// from a peer. A missing element reads as empty text, so that callers check what they need and no
// more.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace weir::http {

struct XmlElement {
  std::string name;
  /// All text directly inside, joined. White space is kept where an element holds nothing else.
  std::string text;
  std::vector<XmlElement> children;

  /// The first child of that name; null if there is none.
  const XmlElement* child(std::string_view child_name) const;
  /// Its text; empty if there is none. `path` may lead further down: "Owner/ID".
  std::string_view child_text(std::string_view path) const;
};

/// The root element. Errors: corrupt; too_large over http/limits.h.
Result<XmlElement> parse_xml(std::string_view text);
/// `text` as it stands between two tags.
std::string xml_escape(std::string_view text);

}  // namespace weir::http
