#include "broker/refusal_text.h"

#include <gtest/gtest.h>

namespace weir::broker {
namespace {

TEST(RefusalText, EveryRefusalHasASentenceAndNoneIsABareName) {
  EXPECT_EQ(refusal_text(state::Refusal::none), "");
  for (int i = 1; i <= static_cast<int>(state::Refusal::limit_reached); ++i) {
    auto refusal = static_cast<state::Refusal>(i);
    std::string text = refusal_text(refusal);
    SCOPED_TRACE(state::to_string(refusal));
    EXPECT_GT(text.size(), 40u) << text;
    EXPECT_TRUE(text.ends_with('.')) << text;
    EXPECT_EQ(text.find("does not know"), std::string::npos);
    EXPECT_EQ(text.find(std::string(state::to_string(refusal)) + "."), std::string::npos);
  }
}

}  // namespace
}  // namespace weir::broker
