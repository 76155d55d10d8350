#include "objstore/object_name.h"

#include "objstore/limits.h"

namespace weir::objstore {
namespace {

constexpr std::size_t kFileNameBytesMax = 255;
constexpr char kDigits[] = "0123456789ABCDEF";

bool stands_for_itself(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("-_+=@,.~").contains(c);
}

int digit_value(char c) {
  std::size_t at = std::string_view(kDigits, 16).find(c);
  return at == std::string_view::npos ? -1 : static_cast<int>(at);
}

/// Length of the UTF-8 sequence that a byte begins; 0 if it begins none.
std::size_t sequence_length(unsigned char first) {
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first < 0xe0) return 2;
  if (first >= 0xe0 && first < 0xf0) return 3;
  if (first >= 0xf0 && first < 0xf5) return 4;
  return 0;
}

/// Whether the bytes from `at` are one whole character; sets its length.
bool is_character(std::string_view text, std::size_t at, std::size_t& length) {
  auto first = static_cast<unsigned char>(text[at]);
  length = sequence_length(first);
  if (length == 0 || length > text.size() - at) return false;
  for (std::size_t i = 1; i < length; ++i)
    if ((static_cast<unsigned char>(text[at + i]) & 0xc0) != 0x80) return false;
  if (length < 3) return true;
  // Overlong forms, surrogates and what lies beyond Unicode.
  auto second = static_cast<unsigned char>(text[at + 1]);
  return !(first == 0xe0 && second < 0xa0) && !(first == 0xed && second >= 0xa0) &&
         !(first == 0xf0 && second < 0x90) && !(first == 0xf4 && second >= 0x90);
}

Result<void> check_characters(std::string_view name) {
  for (std::size_t at = 0; at < name.size();) {
    std::size_t length = 0;
    if (!is_character(name, at, length))
      return fail(ErrorCode::invalid_argument, "object name is not valid UTF-8");
    auto byte = static_cast<unsigned char>(name[at]);
    if (byte < 0x20 || byte == 0x7f)
      return fail(ErrorCode::invalid_argument, "object name holds a control character");
    at += length;
  }
  return {};
}

}  // namespace

std::string file_of_name_part(std::string_view part) {
  std::string out;
  for (std::size_t i = 0; i < part.size(); ++i) {
    char c = part[i];
    if (stands_for_itself(c) && !(i == 0 && c == '.')) {
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

Result<void> check_name(std::string_view name) {
  if (name.empty()) return fail(ErrorCode::invalid_argument, "object name is empty");
  if (name.size() > kNameBytesMax)
    return fail(ErrorCode::invalid_argument, "object name has " + std::to_string(name.size()) +
                                                 " bytes, allowed are " +
                                                 std::to_string(kNameBytesMax));
  WEIR_TRY(check_characters(name));
  std::size_t parts = 0;
  for (std::string_view rest = name;;) {
    std::size_t slash = rest.find('/');
    std::string_view part = rest.substr(0, slash);
    if (part.empty() || part == "." || part == ".." || part.size() > kNamePartBytesMax)
      return fail(ErrorCode::invalid_argument, "object name '" + std::string(name) +
                                                   "' has an empty, relative or too long part");
    if (++parts > kNamePartsMax)
      return fail(ErrorCode::invalid_argument,
                  "object name '" + std::string(name) + "' has too many parts");
    if (slash == std::string_view::npos) return {};
    rest.remove_prefix(slash + 1);
  }
}

Result<std::string> path_of_name(std::string_view name) {
  WEIR_TRY(check_name(name));
  std::string path;
  for (std::string_view rest = name;;) {
    std::size_t slash = rest.find('/');
    std::string part = file_of_name_part(rest.substr(0, slash));
    if (part.size() > kFileNameBytesMax)
      return fail(ErrorCode::invalid_argument,
                  "object name '" + std::string(name) + "' is too long for a file name");
    path += part;
    if (slash == std::string_view::npos) return path;
    path.push_back('/');
    rest.remove_prefix(slash + 1);
  }
}

std::optional<std::string> name_part_of_file(std::string_view file) {
  std::string part;
  for (std::size_t i = 0; i < file.size(); ++i) {
    if (file[i] != '%') {
      part.push_back(file[i]);
      continue;
    }
    if (file.size() - i < 3) return std::nullopt;
    int high = digit_value(file[i + 1]);
    int low = digit_value(file[i + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    part.push_back(static_cast<char>(high << 4 | low));
    i += 2;
  }
  // Only what file_of_name_part can have written is an object.
  if (part.empty() || file_of_name_part(part) != file) return std::nullopt;
  return part;
}

}  // namespace weir::objstore
