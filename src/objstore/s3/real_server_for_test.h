// For tests only: the driver against a server that runs outside, named by the environment.
//
//   WEIR_TEST_S3_URL   s3://bucket?endpoint=http://…; without it, tests that need a server are left
//   out WEIR_TEST_S3_KEY, WEIR_TEST_S3_SECRET
//
// tests/stores starts servers and runs these tests.
#pragma once

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "http/curl/curl_client.h"
#include "objstore/conformance_disk.h"
#include "objstore/s3/s3_store.h"
#include "rt/asio/random.h"

namespace weir::objstore::s3 {

inline std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

/// Sixteen clients of one server, below a prefix that nobody else uses.
class RealServer final : public StoreHarness {
 public:
  RealServer() : runner_("s3"), http_("http"), client_(http_.loop(), {.proxy = ""}) {
    auto url = parse_store_url(variable("WEIR_TEST_S3_URL"), {});
    ENSURE(url.has_value());
    auto options = s3_options(*url, {}, {});
    ENSURE(options.has_value());
    rt::asio::SystemRandom random;
    options->prefix = "t-" + std::to_string(random.next());
    for (std::size_t i = 0; i < kClients; ++i)
      stores_.push_back(std::make_unique<S3Store>(
          S3Store::Parts{runner_.loop(), client_, credentials_, pressure_}, *options));
  }
  ~RealServer() override {
    std::vector<rt::Task<void>> stop;
    stop.push_back(stop_client());
    runner_.run(std::move(stop));
  }
  TaskRunner& runner() override { return runner_; }
  ObjectStore& client(std::size_t i) override { return *stores_[i]; }
  S3Store& store() { return *stores_[0]; }
  http::curl::CurlClient& http_client() { return client_; }

 private:
  rt::Task<void> stop_client() {
    co_await rt::resume_on(client_.loop());
    co_await client_.stop();
    co_await rt::resume_on(runner_.loop());
  }

  DiskRunner runner_;
  rt::asio::LoopThread http_;
  http::curl::CurlClient client_;
  aws::StaticCredentials credentials_{{.access_key_id = variable("WEIR_TEST_S3_KEY"),
                                       .secret_access_key = Secret(variable("WEIR_TEST_S3_SECRET")),
                                       .session_token = {},
                                       .expires_at = {}},
                                      "the test"};
  NoPressure pressure_;
  std::vector<std::unique_ptr<S3Store>> stores_;
};

}  // namespace weir::objstore::s3
