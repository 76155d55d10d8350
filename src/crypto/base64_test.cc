#include "crypto/base64.h"

#include <gtest/gtest.h>

#include <array>
#include <random>

#include "crypto/limits.h"

namespace weir::crypto {
namespace {

std::string decoded(std::string_view text, Base64 alphabet = Base64::standard) {
  auto bytes = base64_decode(text, alphabet);
  return bytes ? std::string(as_text(*bytes)) : "refused";
}

// RFC 4648, section 10.
TEST(Base64, MatchesThePublishedVectors) {
  std::array<std::pair<std::string_view, std::string_view>, 7> vectors = {{{"", ""},
                                                                           {"f", "Zg=="},
                                                                           {"fo", "Zm8="},
                                                                           {"foo", "Zm9v"},
                                                                           {"foob", "Zm9vYg=="},
                                                                           {"fooba", "Zm9vYmE="},
                                                                           {"foobar", "Zm9vYmFy"}}};
  for (auto [plain, text] : vectors) {
    EXPECT_EQ(base64_encode(as_bytes(plain)), text);
    EXPECT_EQ(decoded(text), plain);
  }
}

TEST(Base64, HasTwoAlphabets) {
  Bytes bytes = as_bytes("\xfb\xff\xfe?");
  EXPECT_EQ(base64_encode(bytes), "+//+Pw==");
  EXPECT_EQ(base64_encode(bytes, Base64::url_safe), "-__-Pw");
  EXPECT_EQ(decoded("+//+Pw=="), "\xfb\xff\xfe?");
  EXPECT_EQ(decoded("-__-Pw", Base64::url_safe), "\xfb\xff\xfe?");
  EXPECT_EQ(decoded("-__-Pw=="), "refused");
  EXPECT_EQ(decoded("+//+Pw", Base64::url_safe), "refused");
}

TEST(Base64, IsStrict) {
  for (std::string_view text : {"Zg", "Zg=", "Zg===", "Z===", "====", "=", "Zm9v=", "Zg==Zg==",
                                "Zm 9", "Zm9v\n", "Zh==", "Zm9=", "Z\xc3\xa9==", "Zm9v===="})
    EXPECT_EQ(decoded(text), "refused") << text;
  for (std::string_view text : {"Zg==", "Z", "Zh", "Zm9", "Zm9vY"})
    EXPECT_EQ(decoded(text, Base64::url_safe), "refused") << text;
}

TEST(Base64, RefusesOverlongText) {
  std::string text(limits::base64_text_bytes_max + 4, 'A');
  EXPECT_TRUE(base64_decode(text).error().is(ErrorCode::too_large));
}

TEST(Base64, RoundTripsRandomBytes) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  for (int round = 0; round < 500; ++round) {
    std::vector<std::byte> bytes(random() % 70);
    for (std::byte& b : bytes) b = static_cast<std::byte>(random());
    for (Base64 alphabet : {Base64::standard, Base64::url_safe}) {
      auto back = base64_decode(base64_encode(bytes, alphabet), alphabet);
      ASSERT_TRUE(back.has_value());
      EXPECT_EQ(*back, bytes);
    }
  }
}

}  // namespace
}  // namespace weir::crypto
