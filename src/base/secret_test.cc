#include "base/secret.h"

#include <gtest/gtest.h>

#include <concepts>
#include <sstream>

namespace weir {
namespace {

TEST(Secret, PrintsAsStars) {
  std::ostringstream out;
  out << Secret("hunter2");
  EXPECT_EQ(out.str(), "***");
  EXPECT_EQ(testing::PrintToString(Secret("hunter2")), "***");
  EXPECT_EQ(Secret("hunter2").shown(), "***");
  EXPECT_EQ(Secret().shown(), "");
}

TEST(Secret, ConvertsToNothingThatCouldBeLogged) {
  EXPECT_FALSE((std::convertible_to<Secret, std::string>));
  EXPECT_FALSE((std::convertible_to<Secret, std::string_view>));
  EXPECT_FALSE((std::convertible_to<std::string, Secret>));
  EXPECT_EQ(Secret("hunter2").reveal(), "hunter2");
}

}  // namespace
}  // namespace weir
