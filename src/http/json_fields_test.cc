#include "http/json_fields.h"

#include <gtest/gtest.h>

#include "http/limits.h"

namespace weir::http {
namespace {

TEST(JsonFields, FindsScalarsByTheirPath) {
  auto fields = JsonFields::parse(
      R"({"a":{"b":"x\n\u00e9"},"list":[{"n":1},{"n":18446744073709551615}],"t":true,"z":null})");
  ASSERT_TRUE(fields) << describe(fields.error());
  EXPECT_EQ(fields->text("a.b"), "x\n\xc3\xa9");
  EXPECT_EQ(fields->text("list.0.n"), "1");
  EXPECT_EQ(fields->text("list.1.n"), "18446744073709551615");
  EXPECT_EQ(fields->text("t"), "true");
  EXPECT_FALSE(fields->has("z"));
  EXPECT_FALSE(fields->has("a"));
  EXPECT_EQ(fields->text("no.such"), "");
}

TEST(JsonFields, RefusesWhatIsNotJsonWithoutRepeatingIt) {
  for (const char* text : {"", "{", "hunter2", "{\"secret\":\"hunter2\"", "[1,]"}) {
    auto fields = JsonFields::parse(text);
    ASSERT_FALSE(fields) << text;
    EXPECT_EQ(fields.error().code, ErrorCode::corrupt);
    EXPECT_EQ(fields.error().message.find("hunter2"), std::string::npos);
  }
}

TEST(JsonFields, IsBounded) {
  EXPECT_EQ(JsonFields::parse(std::string(1'000, '[') + std::string(1'000, ']')).error().code,
            ErrorCode::corrupt);
  std::string many = "[1";
  for (std::size_t i = 0; i < kJsonFieldsMax + 10; ++i) many += ",1";
  EXPECT_EQ(JsonFields::parse(many + "]").error().code, ErrorCode::too_large);
  EXPECT_EQ(JsonFields::parse(std::string(kJsonBytesMax + 1, ' ')).error().code,
            ErrorCode::too_large);
}

TEST(JsonFields, QuotesText) { EXPECT_EQ(json_quote("a\"b\n"), R"("a\"b\n")"); }

}  // namespace
}  // namespace weir::http
