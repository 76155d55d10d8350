// What every ObjectStore must do, on a server that runs outside, named by the environment:
//
//   WEIR_TEST_GCS_URL   gs://bucket?endpoint=http://…; without it these tests are left out
//
// tests/stores starts a server and runs these tests.
#include "objstore/conformance_suite.h"

#include <cstdlib>

#include "http/curl/curl_client.h"
#include "objstore/conformance_disk.h"
#include "objstore/gcs/gcs_store.h"
#include "objstore/probe.h"
#include "rt/asio/random.h"

namespace weir::objstore {
namespace {

std::string server_url() {
  const char* url = std::getenv("WEIR_TEST_GCS_URL");
  return url ? url : "";
}

/// Sixteen clients of one server, below a prefix that nobody else uses.
class GcsHarness final : public StoreHarness {
 public:
  GcsHarness() : runner_("gcs"), http_("http"), client_(http_.loop(), {.proxy = ""}) {
    auto url = parse_store_url(server_url(), {});
    ENSURE(url.has_value());
    auto options = gcs::gcs_options(*url, {});
    ENSURE(options.has_value());
    rt::asio::SystemRandom random;
    options->prefix = "t-" + std::to_string(random.next());
    // The server does not mind, and the suite writes some names hundreds of times.
    options->same_name_gap = 0s;
    // It starts thousands of requests at once, and a test machine may be busy.
    options->request_timeout = 120s;
    for (std::size_t i = 0; i < kClients; ++i)
      stores_.push_back(std::make_unique<gcs::GcsStore>(
          gcs::GcsStore::Parts{runner_.loop(), client_, nullptr, pressure_}, *options));
  }
  ~GcsHarness() override {
    std::vector<rt::Task<void>> stop;
    stop.push_back(stop_client());
    runner_.run(std::move(stop));
  }
  DiskRunner& runner() override { return runner_; }
  ObjectStore& client(std::size_t i) override { return *stores_[i]; }

 private:
  rt::Task<void> stop_client() {
    co_await rt::resume_on(client_.loop());
    co_await client_.stop();
    co_await rt::resume_on(runner_.loop());
  }

  DiskRunner runner_;
  rt::asio::LoopThread http_;
  http::curl::CurlClient client_;
  NoPressure pressure_;
  std::vector<std::unique_ptr<gcs::GcsStore>> stores_;
};

std::unique_ptr<StoreHarness> make_gcs_harness() { return std::make_unique<GcsHarness>(); }

std::vector<StoreHarnessMaker> gcs_harnesses() {
  if (server_url().empty()) return {};
  return {&make_gcs_harness};
}

INSTANTIATE_TEST_SUITE_P(Gcs, ObjectStoreConformance, testing::ValuesIn(gcs_harnesses()));

class GcsServer : public testing::TestWithParam<StoreHarnessMaker> {
 protected:
  template <class T>
  T run(rt::Task<T> task) {
    return run_one(server_.runner(), std::move(task));
  }
  GcsHarness server_;
};

// More rounds than the suite has, since this is what the commit log stands on.
TEST_P(GcsServer, OfSixteenRacingCreatorsOneWinsTwoHundredTimes) {
  for (int round = 0; round < 200; ++round) {
    std::string name = "race200/" + std::to_string(round);
    std::vector<rt::Task<Result<std::string>>> tasks;
    for (std::size_t i = 0; i < StoreHarness::kClients; ++i)
      tasks.push_back(server_.client(i).put_if_absent(name, chain_of("by " + std::to_string(i))));
    std::size_t winners = 0;
    for (auto& result : run_all(server_.runner(), std::move(tasks))) {
      winners += result.has_value();
      if (!result) {
        ASSERT_EQ(result.error().code, ErrorCode::already_exists) << describe(result.error());
      }
    }
    ASSERT_EQ(winners, 1u) << "in round " << round;
  }
}

TEST_P(GcsServer, EqualBytesAreAnotherVersion) {
  auto first = run(server_.client(0).put("same", chain_of("x")));
  auto second = run(server_.client(0).put("same", chain_of("x")));
  ASSERT_TRUE(first);
  ASSERT_TRUE(second);
  EXPECT_NE(*first, *second);
  EXPECT_EQ(run(server_.client(1).put_if_match("same", chain_of("y"), *first)).error().code,
            ErrorCode::precondition);
}

TEST_P(GcsServer, PassesTheProbe) {
  auto probed =
      run(probe_store({server_.client(0), server_.runner().loop(), server_.runner().random()}));
  ASSERT_TRUE(probed) << describe(probed.error());
  EXPECT_FALSE(*probed);
  EXPECT_TRUE(
      run(probe_store({server_.client(3), server_.runner().loop(), server_.runner().random()}))
          .value());
}

INSTANTIATE_TEST_SUITE_P(Gcs, GcsServer, testing::ValuesIn(gcs_harnesses()));

}  // namespace

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(ObjectStoreConformance);
namespace {
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(GcsServer);
}
}  // namespace weir::objstore
