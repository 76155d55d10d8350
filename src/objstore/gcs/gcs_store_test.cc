#include "objstore/gcs/gcs_store.h"

#include "http/fake_client_for_test.h"
#include "objstore/conformance_harness.h"
#include "objstore/gcs/limits.h"

namespace weir::objstore::gcs {
namespace {

class CountingPressure final : public PressureSignal {
 public:
  void throttled(std::optional<Duration> retry_after) override {
    ++count;
    last = retry_after;
  }
  int count = 0;
  std::optional<Duration> last;
};

class FixedToken final : public TokenSource {
 public:
  rt::Task<Result<AccessToken>> fetch() override {
    co_return AccessToken{Secret("hunter2"), std::nullopt};
  }
  std::string describe() const override { return "test"; }
};

GcsOptions options_of(std::string_view url, const Variables& variables = {}) {
  auto options = gcs_options(*parse_store_url(url, {}), variables);
  EXPECT_TRUE(options) << describe(options.error());
  return *options;
}

class GcsStoreTest : public testing::Test {
 protected:
  template <class T>
  T run(rt::Task<T> task) {
    return run_one(runner_, std::move(task));
  }
  template <class T>
  ErrorCode code(rt::Task<Result<T>> task) {
    auto result = run(std::move(task));
    if (!result) {
      EXPECT_EQ(result.error().message.find("hunter2"), std::string::npos);
    }
    return result ? ErrorCode::internal : result.error().code;
  }
  std::string url(std::size_t i) { return client_.requests.at(i).url; }

  SimRunner runner_{1};
  http::FakeClient client_{runner_.loop()};
  NullLogger logger_;
  Tokens tokens_{{runner_.loop(), runner_.node().random(), logger_},
                 std::make_unique<FixedToken>()};
  CountingPressure pressure_;
  GcsStore store_{{runner_.loop(), client_, &tokens_, pressure_}, options_of("gs://my-bucket/a/b")};
};

TEST_F(GcsStoreTest, ACreateIsOneUploadThatDemandsGenerationZero) {
  client_.answer(200, R"({"generation":"17"})");
  EXPECT_EQ(*run(store_.put_if_absent("log/0/1", chain_of("body"))), "17");
  EXPECT_EQ(url(0),
            "https://storage.googleapis.com/upload/storage/v1/b/my-bucket/o?uploadType=multipart"
            "&fields=generation&name=a%2Fb%2Flog%2F0%2F1&ifGenerationMatch=0");
  EXPECT_EQ(client_.sent_header(0, "authorization"), "Bearer hunter2");
  std::string body = client_.sent_body(0);
  EXPECT_NE(body.find(R"({"name":"a/b/log/0/1","crc32c":")"), std::string::npos) << body;
  EXPECT_LT(body.find("crc32c"), body.find("\r\n\r\nbody\r\n--")) << "the checksum goes first";
}

TEST_F(GcsStoreTest, OtherWritesHaveTheirConditions) {
  client_.answer(200, R"({"generation":"17"})");
  client_.answer(200, R"({"generation":"18"})");
  ASSERT_TRUE(run(store_.put("x", chain_of("body"))));
  EXPECT_EQ(url(0).find("ifGenerationMatch"), std::string::npos);
  ASSERT_TRUE(run(store_.put_if_match("y", chain_of("body"), "17")));
  EXPECT_NE(url(1).find("&ifGenerationMatch=17"), std::string::npos);
}

TEST_F(GcsStoreTest, WritesOfOneNameAreASecondApart) {
  for (int i = 0; i < 4; ++i) client_.answer(200, R"({"generation":"17"})");
  MonoTime begin = runner_.loop().now();
  ASSERT_TRUE(run(store_.put("x", chain_of("1"))));
  ASSERT_TRUE(run(store_.put("y", chain_of("1"))));
  EXPECT_LT(runner_.loop().now() - begin, 100ms);
  ASSERT_TRUE(run(store_.put("x", chain_of("2"))));
  ASSERT_TRUE(run(store_.put("x", chain_of("3"))));
  EXPECT_GE(runner_.loop().now() - begin, 2s);
}

TEST_F(GcsStoreTest, AnUploadWhoseAnswerIsNoAnswerIsUnclear) {
  client_.answer(200, "<html>");
  EXPECT_EQ(code(store_.put_if_absent("a", chain_of("x"))), ErrorCode::unknown_outcome);
  client_.answer_error(ErrorCode::corrupt);
  EXPECT_EQ(code(store_.put_if_absent("b", chain_of("x"))), ErrorCode::unknown_outcome);
  client_.answer_error(ErrorCode::unavailable);
  EXPECT_EQ(code(store_.put_if_absent("c", chain_of("x"))), ErrorCode::unavailable);
}

TEST_F(GcsStoreTest, ReadsAreCheckedAgainstTheChecksum) {
  client_.answer(200, "body", {{"x-goog-hash", "crc32c=AAAAAA==,md5=x"}});
  EXPECT_EQ(code(store_.get("a")), ErrorCode::corrupt);
  client_.answer(200, "", {{"x-goog-hash", "crc32c=AAAAAA=="}});
  EXPECT_TRUE(run(store_.get("a")));
  client_.answer(200, "body");
  EXPECT_TRUE(run(store_.get("a"))) << "not every server tells one";
}

TEST_F(GcsStoreTest, RangesAreExact) {
  client_.answer(206, "345");
  EXPECT_EQ(as_text(run(store_.get_range("a", 3, 3))->view()), "345");
  EXPECT_EQ(client_.sent_header(0, "range"), "bytes=3-5");
  client_.answer(206, "34");
  EXPECT_EQ(code(store_.get_range("a", 3, 3)), ErrorCode::invalid_argument);
  client_.answer(416);
  EXPECT_EQ(code(store_.get_range("a", 30, 3)), ErrorCode::invalid_argument);
}

TEST_F(GcsStoreTest, ListingsLeaveOutWhatIsNotOurs) {
  client_.answer(200, R"({"nextPageToken":"t/1","items":[
    {"name":"a/b/x","size":"5","generation":"7"},{"name":"a/b/","size":"0","generation":"1"},
    {"name":"a/b/bad//name","size":"0","generation":"1"}]})");
  client_.answer(200, "{}");
  auto page = run(store_.list("x", ""));
  ASSERT_TRUE(page) << describe(page.error());
  ASSERT_EQ(page->objects.size(), 1u);
  EXPECT_EQ(page->objects[0].name, "x");
  EXPECT_EQ(page->objects[0].size, 5u);
  EXPECT_EQ(page->objects[0].etag, "7");
  EXPECT_NE(url(0).find("&prefix=a%2Fb%2Fx"), std::string::npos);
  page = run(store_.list("x", page->next));
  EXPECT_NE(url(1).find("&pageToken=t%2F1"), std::string::npos);
  EXPECT_TRUE(page->next.empty());
}

TEST_F(GcsStoreTest, DeletionsGoBesideEachOtherAndNameWhatFailed) {
  std::vector<std::string> names;
  for (int i = 0; i < 40; ++i) names.push_back("n" + std::to_string(i));
  client_.delay = 100ms;
  client_.handler = [](const http::ClientRequest& request) -> Result<http::ClientResponse> {
    if (request.url.ends_with("n7")) return http::FakeClient::response(503);
    return http::FakeClient::response(request.url.ends_with("n8") ? 404 : 204);
  };
  MonoTime begin = runner_.loop().now();
  auto failures = run(store_.remove(names));
  ASSERT_TRUE(failures);
  ASSERT_EQ(failures->size(), 1u);
  EXPECT_EQ(failures->front().first, "n7");
  EXPECT_GE(runner_.loop().now() - begin, 300ms) << "sixteen at a time";
  EXPECT_LT(runner_.loop().now() - begin, 400ms);
  EXPECT_EQ(pressure_.count, 1);
}

TEST_F(GcsStoreTest, AStoreThatAsksForLessIsHeard) {
  client_.answer(429, "", {{"retry-after", "3"}});
  EXPECT_EQ(code(store_.put("a", chain_of("x"))), ErrorCode::unknown_outcome);
  EXPECT_EQ(pressure_.count, 1);
  EXPECT_EQ(pressure_.last, 3s);
}

TEST_F(GcsStoreTest, ARefusedTokenIsFetchedAnewAndNothingWasApplied) {
  client_.answer(401);
  EXPECT_EQ(code(store_.put_if_absent("a", chain_of("x"))), ErrorCode::unavailable);
}

struct Row {
  Verb verb;
  int status;
  const char* body;
  ErrorCode code;
};

TEST(GcsAnswerError, EveryStatusHasItsMeaning) {
  constexpr const char* kNoBucket =
      R"({"error":{"message":"The specified bucket does not exist."}})";
  constexpr const char* kRate =
      R"({"error":{"message":"slow","errors":[{"reason":"rateLimitExceeded"}]}})";
  constexpr const char* kCrc = R"({"error":{"message":"Provided CRC32C does not match"}})";
  const Row rows[] = {
      {Verb::put_if_absent, 412, "", ErrorCode::already_exists},
      {Verb::put_if_match, 412, "", ErrorCode::precondition},
      {Verb::get, 404, "", ErrorCode::not_found},
      {Verb::get, 404, kNoBucket, ErrorCode::configuration},
      {Verb::put, 404, "", ErrorCode::configuration},
      {Verb::list, 404, "", ErrorCode::configuration},
      {Verb::put_if_absent, 409, "", ErrorCode::unavailable},
      {Verb::put_if_absent, 401, "", ErrorCode::unavailable},
      {Verb::put_if_absent, 403, "", ErrorCode::configuration},
      {Verb::put_if_absent, 403, kRate, ErrorCode::unknown_outcome},
      {Verb::get, 403, kRate, ErrorCode::unavailable},
      {Verb::put_if_absent, 400, kCrc, ErrorCode::unavailable},
      {Verb::put_if_absent, 400, "", ErrorCode::invalid_argument},
      {Verb::put_if_absent, 413, "", ErrorCode::too_large},
      {Verb::put_if_absent, 429, "", ErrorCode::unknown_outcome},
      {Verb::put_if_absent, 500, "", ErrorCode::unknown_outcome},
      {Verb::put_if_absent, 503, "", ErrorCode::unknown_outcome},
      {Verb::remove, 503, "", ErrorCode::unknown_outcome},
      {Verb::get_range, 503, "", ErrorCode::unavailable},
      {Verb::get_range, 416, "", ErrorCode::invalid_argument},
      {Verb::list, 408, "", ErrorCode::unavailable},
      {Verb::get, 302, "", ErrorCode::configuration},
  };
  for (const Row& row : rows) {
    Refusal refusal =
        refusal_of(row.verb, http::FakeClient::response(row.status, row.body), "gs://b");
    EXPECT_EQ(refusal.error.code, row.code)
        << to_string(row.verb) << " " << row.status << ": " << refusal.error.message;
    EXPECT_TRUE(refusal.error.message.starts_with("gs://b: "));
  }
  EXPECT_TRUE(refusal_of(Verb::get, http::FakeClient::response(403, kRate), "").throttled);
  EXPECT_FALSE(refusal_of(Verb::get, http::FakeClient::response(500), "").throttled);
}

TEST(GcsOptions, ReadsUrlAndEnvironment) {
  GcsOptions plain = options_of("gs://my-bucket/x/y/");
  EXPECT_EQ(plain.prefix, "x/y");
  EXPECT_EQ(plain.describe(), "gs://my-bucket/x/y");
  EXPECT_FALSE(plain.anonymous);
  EXPECT_EQ(plain.same_name_gap, 1s);
  GcsOptions emulated = options_of("gs://my-bucket", {{"STORAGE_EMULATOR_HOST", "localhost:4443"}});
  EXPECT_EQ(emulated.endpoint, "http://localhost:4443");
  EXPECT_TRUE(emulated.anonymous);
  for (const char* bad :
       {"gs://B", "gs://bucket/a//b", "gs://bucket?region=x", "gs://bucket?endpoint=localhost"})
    EXPECT_FALSE(gcs_options(*parse_store_url(bad, {}), {})) << bad;
}

TEST(WritePace, ForgetsWhatIsLongAgoAndIsBounded) {
  WritePace pace(1s);
  MonoTime now = MonoTime() + 1h;
  EXPECT_EQ(pace.next("a", now), now);
  EXPECT_EQ(pace.next("a", now), now + 1s);
  EXPECT_EQ(pace.next("a", now), now + 2s);
  EXPECT_EQ(pace.next("a", now + 10s), now + 10s);
  for (std::size_t i = 0; i < kPacedNamesMax * 2; ++i) pace.next(std::to_string(i), now + 11s);
  EXPECT_LE(pace.remembered(), kPacedNamesMax);
}

}  // namespace
}  // namespace weir::objstore::gcs
