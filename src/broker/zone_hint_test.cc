#include "broker/zone_hint.h"

#include <gtest/gtest.h>

namespace weir::broker {
namespace {

TEST(ZoneHint, IsFoundInEveryVendorsSpelling) {
  EXPECT_EQ(zone_of_client_id("zone=eu-1a"), "eu-1a");
  EXPECT_EQ(zone_of_client_id("app,zone_id=b"), "b");
  EXPECT_EQ(zone_of_client_id("ws_host=x,ws_az=us-east-1a"), "us-east-1a");
  EXPECT_EQ(zone_of_client_id("app,warpstream_az=c"), "c");
  EXPECT_EQ(zone_of_client_id("automq_type=producer&automq_az=cn-h"), "cn-h");
  EXPECT_EQ(zone_of_client_id("app;diskless_az=d;x"), "d");
}

TEST(ZoneHint, OtherClientIdsHaveNone) {
  for (std::string_view id : {"", "app", "a=b", "ozone=1", "zone=", "zone", "=,=", "zones=a"})
    EXPECT_EQ(zone_of_client_id(id), std::nullopt) << id;
  EXPECT_EQ(zone_of_client_id("zone=" + std::string(300, 'z')), std::nullopt);
}

TEST(ZoneHint, AnEmptyHintDoesNotHideALaterOne) {
  EXPECT_EQ(zone_of_client_id("zone=,zone_id=b"), "b");
}

}  // namespace
}  // namespace weir::broker
