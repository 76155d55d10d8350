#include "engine/topic_regex.h"

#include <gtest/gtest.h>

#include "engine/consumer_groups_api.h"

namespace weir::engine {
namespace {

TEST(TopicRegex, MatchesWholeNamesOnly) {
  TopicRegex regex("foo.*");
  EXPECT_TRUE(regex.matches("foo"));
  EXPECT_TRUE(regex.matches("foo-1"));
  EXPECT_FALSE(regex.matches("a-foo"));
  EXPECT_EQ(regex.problem(), "");
}

TEST(TopicRegex, SaysWhatIsWrongWithAnExpressionAndMatchesNothing) {
  EXPECT_NE(regex_problem("["), "");
  EXPECT_NE(regex_problem(std::string(100'000, 'a')), "");
  EXPECT_FALSE(TopicRegex("[").matches("["));
}

TEST(TopicRegex, BackReferencesAreRefused) { EXPECT_NE(regex_problem("(a)\\1"), ""); }

TEST(TopicRegex, AnExpressionThatWouldExplodeIsRefusedOrCheap) {
  // Ten nested repetitions of a thousand: far more than the memory that is allowed.
  EXPECT_NE(regex_problem("((a{1000}){1000}){1000}"), "");
  EXPECT_FALSE(TopicRegex("(a*)*b").matches(std::string(249, 'a')));
}

}  // namespace
}  // namespace weir::engine
