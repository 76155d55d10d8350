#include "base/units.h"

#include <gtest/gtest.h>

namespace weir {
namespace {

TEST(ParseSize, KnowsBinaryAndDecimalUnitsInAnyCase) {
  EXPECT_EQ(parse_size("4096"), 4096u);
  EXPECT_EQ(parse_size("256MiB"), 256u << 20);
  EXPECT_EQ(parse_size("256mib"), 256u << 20);
  EXPECT_EQ(parse_size("2 GiB"), 2ull << 30);
  EXPECT_EQ(parse_size("1GB"), 1'000'000'000u);
  EXPECT_EQ(parse_size("64k"), 65'536u);
  EXPECT_EQ(parse_size("0"), 0u);
}

TEST(ParseSize, RefusesWhatIsNotASize) {
  for (const char* text : {"", "MiB", "-1", "1.5GiB", "12 bananas", "1MiB2", "16777216TiB",
                           "99999999999999999999", "0x10"}) {
    Result<std::uint64_t> size = parse_size(text);
    ASSERT_FALSE(size) << text;
    EXPECT_TRUE(size.error().is(ErrorCode::invalid_argument));
    EXPECT_NE(size.error().message.find("64MiB"), std::string::npos);
  }
}

TEST(ParseDuration, AddsUpItsParts) {
  EXPECT_EQ(parse_duration("250ms").value(), Duration(250ms));
  EXPECT_EQ(parse_duration("1h30m").value(), Duration(90min));
  EXPECT_EQ(parse_duration("7d").value(), Duration(7 * 24h));
  EXPECT_EQ(parse_duration("5min").value(), Duration(5min));
  EXPECT_EQ(parse_duration("0").value(), Duration(0));
  EXPECT_EQ(parse_duration("forever").value(), std::optional<Duration>());
}

TEST(ParseDuration, RefusesNumbersWithoutUnitAndOverflow) {
  for (const char* text : {"", "10", "ms", "-1s", "1 fortnight", "1h30", "400000w", "1.5s"})
    EXPECT_FALSE(parse_duration(text)) << text;
}

TEST(ParseInteger, TakesTheWholeText) {
  EXPECT_EQ(parse_integer("-12"), -12);
  for (const char* text : {"", "1x", " 1", "9223372036854775808"})
    EXPECT_FALSE(parse_integer(text)) << text;
}

TEST(FormatUnits, IsExactAndParsesBack) {
  for (std::uint64_t bytes : {0ull, 1000ull, 1024ull, 3ull << 20, 1ull << 40, 1536ull}) {
    EXPECT_EQ(parse_size(format_size(bytes)), bytes);
  }
  EXPECT_EQ(format_size(256u << 20), "256MiB");
  for (Duration d :
       {Duration(0), Duration(1ns), Duration(250ms), Duration(90min), Duration(7 * 24h)})
    EXPECT_EQ(parse_duration(format_duration(d)).value(), d);
  EXPECT_EQ(format_duration(Duration(90min)), "90m");
  EXPECT_EQ(format_duration(std::nullopt), "forever");
}

}  // namespace
}  // namespace weir
