#include "objstore/iso_time.h"

#include <gtest/gtest.h>

namespace weir::objstore {
namespace {

TEST(IsoTime, ReadsTimesOfServices) {
  EXPECT_EQ(parse_iso_time("1970-01-01T00:00:00Z")->value, 0);
  EXPECT_EQ(parse_iso_time("2026-11-30T10:00:00Z")->value, 1'796'032'800'000);
  EXPECT_EQ(parse_iso_time("2026-11-30T10:00:00.123456Z")->value, 1'796'032'800'000);
  EXPECT_EQ(parse_iso_time("2026-11-30T11:30:00+01:30")->value, 1'796'032'800'000);
  EXPECT_EQ(parse_iso_time("2026-11-30T09:00:00-0100")->value, 1'796'032'800'000);
  EXPECT_EQ(parse_iso_time("2024-02-29T00:00:00Z")->value, 1'709'164'800'000);
}

TEST(IsoTime, RefusesOthers) {
  for (const char* text : {"", "2026", "2026-11-30", "2026-13-01T00:00:00Z", "2026-02-30T00:00:00Z",
                           "2026-11-30T24:00:00Z", "2026-11-30T10:00:00", "2026-11-30T10:00:00Zx",
                           "yesterday at noon", "-026-11-30T10:00:00Z"})
    EXPECT_EQ(parse_iso_time(text).error().code, ErrorCode::corrupt) << text;
}

}  // namespace
}  // namespace weir::objstore
