#include "base/log.h"

namespace weir {
namespace {

bool needs_quotes(std::string_view value) {
  if (value.empty()) return true;
  for (char c : value)
    if (c <= ' ' || c == '"' || c == '=' || c == '\\' || c == '\x7f') return true;
  return false;
}

void append_quoted(std::string& line, std::string_view value) {
  static constexpr char kDigits[] = "0123456789abcdef";
  line.push_back('"');
  for (char c : value) {
    auto u = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      line.push_back('\\');
      line.push_back(c);
    } else if (u < 0x20 || u == 0x7f) {
      // Control characters from a peer may not forge a second line or drive a terminal.
      line.append("\\x").push_back(kDigits[u >> 4]);
      line.push_back(kDigits[u & 15]);
    } else {
      line.push_back(c);
    }
  }
  line.push_back('"');
}

}  // namespace

std::string format_log_line(std::string_view event, std::initializer_list<LogField> fields) {
  std::string line(event);
  for (const LogField& field : fields) {
    line.append(" ").append(field.key).append("=");
    if (needs_quotes(field.value))
      append_quoted(line, field.value);
    else
      line.append(field.value);
  }
  return line;
}

}  // namespace weir
