#include <gtest/gtest.h>

#include "rt/stream.h"

namespace weir::rt {
namespace {

TEST(Endpoint, TextPutsIpv6InBrackets) {
  EXPECT_EQ((Endpoint{"broker-1", 9092}).text(), "broker-1:9092");
  EXPECT_EQ((Endpoint{"127.0.0.1", 1}).text(), "127.0.0.1:1");
  EXPECT_EQ((Endpoint{"::1", 9092}).text(), "[::1]:9092");
}

}  // namespace
}  // namespace weir::rt
