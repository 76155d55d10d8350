#include "app/storage.h"

#include <gtest/gtest.h>

namespace weir::app {
namespace {

std::string problem_of(std::string_view store, std::string_view log) {
  Result<void> checked = check_lasting(objstore::parse_store_url(store, {}).value(),
                                       objstore::parse_store_url(log, {}).value());
  return checked ? "" : checked.error().message;
}

TEST(Storage, StoreAndLogOutliveTheBrokerTogetherOrNotAtAll) {
  for (const char* store : {"memory://", "null://"}) {
    EXPECT_EQ(problem_of(store, "memory://"), "") << store;
    EXPECT_NE(problem_of(store, "file:///srv/log").find("leave --log out"), std::string::npos);
    EXPECT_NE(problem_of(store, "s3://b/x").find("forgets all records"), std::string::npos);
  }
  for (const char* store : {"file:///srv/w", "s3://b/x"}) {
    EXPECT_EQ(problem_of(store, "file:///srv/log"), "") << store;
    EXPECT_NE(problem_of(store, "memory://").find("acknowledged records"), std::string::npos);
  }
}

}  // namespace
}  // namespace weir::app
