#include "http/xml.h"

#include <algorithm>
#include <pugixml.hpp>

#include "http/limits.h"

namespace weir::http {
namespace {

std::string_view local_name(std::string_view name) {
  std::size_t colon = name.rfind(':');
  return colon == std::string_view::npos ? name : name.substr(colon + 1);
}

struct Budget {
  std::size_t elements = kXmlElementsMax;
};

/// False when a limit is reached. Depth is limited, so the recursion is too.
bool convert(const pugi::xml_node& from, std::size_t depth, Budget& budget, XmlElement& to) {
  if (depth > kXmlDepthMax || budget.elements == 0) return false;
  --budget.elements;
  to.name = local_name(from.name());
  for (const pugi::xml_node& node : from.children()) {
    if (node.type() == pugi::node_element) {
      if (!convert(node, depth + 1, budget, to.children.emplace_back())) return false;
    } else if (node.type() == pugi::node_pcdata || node.type() == pugi::node_cdata) {
      to.text += node.value();
    }
  }
  return true;
}

}  // namespace

const XmlElement* XmlElement::child(std::string_view child_name) const {
  auto found = std::ranges::find(children, child_name, &XmlElement::name);
  return found == children.end() ? nullptr : &*found;
}

std::string_view XmlElement::child_text(std::string_view path) const {
  const XmlElement* at = this;
  while (!path.empty()) {
    std::size_t slash = std::min(path.find('/'), path.size());
    at = at->child(path.substr(0, slash));
    if (!at) return {};
    path.remove_prefix(std::min(path.size(), slash + 1));
  }
  return at->text;
}

Result<XmlElement> parse_xml(std::string_view text) {
  if (text.size() > kXmlBytesMax)
    return fail(ErrorCode::too_large, "XML of " + std::to_string(text.size()) + " bytes");
  pugi::xml_document document;
  unsigned options = pugi::parse_cdata | pugi::parse_escapes | pugi::parse_ws_pcdata_single;
  pugi::xml_parse_result parsed =
      document.load_buffer(text.data(), text.size(), options, pugi::encoding_utf8);
  if (!parsed) return fail(ErrorCode::corrupt, std::string("not XML: ") + parsed.description());
  XmlElement root;
  Budget budget;
  if (!convert(document.document_element(), 1, budget, root))
    return fail(ErrorCode::too_large, "XML with too many or too deep elements");
  return root;
}

std::string xml_escape(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&apos;"; break;
      case '\r': out += "&#13;"; break;
      default: out.push_back(c);
    }
  }
  return out;
}

}  // namespace weir::http
