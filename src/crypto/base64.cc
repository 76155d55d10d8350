#include "crypto/base64.h"

#include <cstdint>

#include "crypto/limits.h"

namespace weir::crypto {
namespace {

constexpr std::string_view kStandard =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view kUrlSafe =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

constexpr std::string_view letters_of(Base64 alphabet) {
  return alphabet == Base64::standard ? kStandard : kUrlSafe;
}

// The six bits of a letter, or 64.
unsigned value_of(char letter, Base64 alphabet) {
  if (letter >= 'A' && letter <= 'Z') return static_cast<unsigned>(letter - 'A');
  if (letter >= 'a' && letter <= 'z') return static_cast<unsigned>(letter - 'a') + 26;
  if (letter >= '0' && letter <= '9') return static_cast<unsigned>(letter - '0') + 52;
  if (letter == letters_of(alphabet)[62]) return 62;
  if (letter == letters_of(alphabet)[63]) return 63;
  return 64;
}

std::unexpected<Error> invalid(const char* why) {
  return fail(ErrorCode::invalid_argument, std::string("base64: ") + why);
}

// The letters without their padding; fails if the padding is not what the alphabet wants.
Result<std::string_view> without_padding(std::string_view text, Base64 alphabet) {
  if (alphabet == Base64::url_safe) return text;
  if (text.size() % 4 != 0) return invalid("length is not a multiple of four");
  for (int padding = 0; padding < 2 && text.ends_with('='); ++padding) text.remove_suffix(1);
  return text;
}

}  // namespace

std::string base64_encode(Bytes bytes, Base64 alphabet) {
  std::string_view letters = letters_of(alphabet);
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  while (!bytes.empty()) {
    Bytes group = bytes.first(bytes.size() < 3 ? bytes.size() : 3);
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < 3; ++i)
      bits = bits << 8 | (i < group.size() ? std::to_integer<std::uint32_t>(group[i]) : 0);
    for (std::size_t i = 0; i <= group.size(); ++i)
      text.push_back(letters[bits >> (18 - 6 * i) & 63]);
    if (alphabet == Base64::standard) text.append(3 - group.size(), '=');
    bytes = bytes.subspan(group.size());
  }
  return text;
}

Result<std::vector<std::byte>> base64_decode(std::string_view text, Base64 alphabet) {
  if (text.size() > limits::base64_text_bytes_max)
    return fail(ErrorCode::too_large, "base64: the text is too long");
  auto letters = without_padding(text, alphabet);
  if (!letters) return std::unexpected(letters.error());
  if (letters->size() % 4 == 1) return invalid("one letter is left over");
  std::vector<std::byte> bytes;
  bytes.reserve(letters->size() * 3 / 4);
  std::uint32_t bits = 0;
  unsigned count = 0;  // how many of the low `bits` are not yet written
  for (char letter : *letters) {
    unsigned value = value_of(letter, alphabet);
    if (value == 64) return invalid("a character is not in the alphabet");
    bits = (bits << 6 | value) & 0xffff;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes.push_back(static_cast<std::byte>(bits >> count & 0xff));
  }
  if ((bits & ((1u << count) - 1)) != 0) return invalid("bits are left over");
  return bytes;
}

}  // namespace weir::crypto
