#include "broker/topic_names.h"

#include <gtest/gtest.h>

#include "broker/testing/fake_catalog.h"

namespace weir::broker {
namespace {

TEST(TopicNames, InvalidOnesAreRefused) {
  for (std::string_view name : {"", ".", "..", "a b", "a/b", "ä", "a\n", "a:b"})
    EXPECT_NE(topic_name_problem(name), "") << name;
  EXPECT_NE(topic_name_problem(std::string(250, 'a')), "");
}

TEST(TopicNames, ValidOnesAreTaken) {
  for (std::string_view name : {"a", "...", "a.b_c-D9", "__x"})
    EXPECT_EQ(topic_name_problem(name), "") << name;
  EXPECT_EQ(topic_name_problem(std::string(249, 'a')), "");
}

TEST(TopicNames, KafkasOwnTopicsAreReserved) {
  EXPECT_TRUE(is_reserved_topic("__consumer_offsets"));
  EXPECT_TRUE(is_reserved_topic("__transaction_state"));
  EXPECT_FALSE(is_reserved_topic("consumer_offsets"));
}

TEST(TopicNames, DotAndUnderscoreCollide) {
  testing::FakeCatalog catalog;
  catalog.add_topic("a.b", 1);
  catalog.add_topic("x", 1);
  EXPECT_EQ(colliding_topic(catalog, "a_b"), "a.b");
  EXPECT_EQ(colliding_topic(catalog, "a.b"), "") << "the same name is another matter";
  EXPECT_EQ(colliding_topic(catalog, "a_c"), "");
  EXPECT_EQ(colliding_topic(catalog, "x"), "");
}

}  // namespace
}  // namespace weir::broker
