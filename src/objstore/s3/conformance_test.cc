// What every ObjectStore must do, on a real server; and what only real servers show.
#include "objstore/conformance_suite.h"

#include "objstore/s3/real_server_for_test.h"

namespace weir::objstore {

std::unique_ptr<StoreHarness> make_s3_harness() { return std::make_unique<s3::RealServer>(); }

std::vector<StoreHarnessMaker> s3_harnesses() {
  if (s3::variable("WEIR_TEST_S3_URL").empty()) return {};
  return {&make_s3_harness};
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(ObjectStoreConformance);
INSTANTIATE_TEST_SUITE_P(S3, ObjectStoreConformance, testing::ValuesIn(s3_harnesses()));

namespace s3 {
namespace {

class S3Server : public testing::TestWithParam<StoreHarnessMaker> {
 protected:
  template <class T>
  T run(rt::Task<T> task) {
    return run_one(server_.runner(), std::move(task));
  }
  RealServer server_;
};

// More rounds than the suite has, since this is what the commit log stands on.
TEST_P(S3Server, OfSixteenRacingCreatorsOneWinsTwoHundredTimes) {
  for (int round = 0; round < 200; ++round) {
    std::string name = "race200/" + std::to_string(round);
    std::vector<rt::Task<Result<std::string>>> tasks;
    for (std::size_t i = 0; i < StoreHarness::kClients; ++i)
      tasks.push_back(server_.client(i).put_if_absent(name, chain_of("by " + std::to_string(i))));
    auto results = run_all(server_.runner(), std::move(tasks));
    std::string winner;
    for (std::size_t i = 0; i < results.size(); ++i) {
      if (!results[i]) {
        ASSERT_EQ(results[i].error().code, ErrorCode::already_exists)
            << describe(results[i].error());
        continue;
      }
      ASSERT_TRUE(winner.empty()) << "two winners in round " << round;
      winner = "by " + std::to_string(i);
    }
    auto body = run(server_.store().get(name));
    ASSERT_TRUE(body);
    ASSERT_EQ(as_text(body->view()), winner);
  }
}

TEST_P(S3Server, KeepsAnObjectThatWentUpInParts) {
  std::string body = pattern_bytes((std::size_t{70} << 20) + 12'345, 7);
  auto etag = run(server_.store().put("parts", chain_of(body)));
  ASSERT_TRUE(etag) << describe(etag.error());
  auto info = run(server_.store().head("parts"));
  ASSERT_TRUE(info);
  EXPECT_EQ(info->size, body.size());
  EXPECT_EQ(info->etag, *etag);
  auto got = run(server_.store().get("parts"));
  ASSERT_TRUE(got) << describe(got.error());
  EXPECT_TRUE(as_text(got->view()) == body);
  auto aborted = run(server_.store().abort_stale_uploads());
  ASSERT_TRUE(aborted) << describe(aborted.error());
  EXPECT_EQ(*aborted, 0u);
}

TEST_P(S3Server, ReachesItsBucket) {
  auto reached = run(server_.store().reach(server_.runner().loop().now() + 5s));
  EXPECT_TRUE(reached) << describe(reached.error());
}

TEST_P(S3Server, DeletesMoreThanOneCallTakes) {
  std::vector<std::string> names;
  for (int i = 0; i < 2'100; ++i) names.push_back("many/" + std::to_string(i));
  for (int i = 0; i < 2'100; i += 700)
    ASSERT_TRUE(run(server_.store().put(names[static_cast<std::size_t>(i)], chain_of("x"))));
  auto failures = run(server_.store().remove(names));
  ASSERT_TRUE(failures) << describe(failures.error());
  EXPECT_TRUE(failures->empty());
  auto page = run(server_.store().list("many/", ""));
  ASSERT_TRUE(page);
  EXPECT_TRUE(page->objects.empty());
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(S3Server);
INSTANTIATE_TEST_SUITE_P(S3, S3Server, testing::ValuesIn(s3_harnesses()));

}  // namespace
}  // namespace s3
}  // namespace weir::objstore
