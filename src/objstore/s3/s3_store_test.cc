#include "objstore/s3/s3_store.h"

#include <gtest/gtest.h>

#include "http/fake_client_for_test.h"
#include "objstore/conformance_harness.h"
#include "objstore/limits.h"
#include "objstore/s3/limits.h"

namespace weir::objstore::s3 {
namespace {

using http::FakeClient;
using http::Method;

class CountingCredentials final : public aws::CredentialsProvider {
 public:
  rt::Task<Result<aws::Credentials>> credentials(MonoTime) override { co_return held; }
  void refused(const aws::Credentials&) override { ++refusals; }
  std::string describe() const override { return "the test"; }
  Result<aws::Credentials> held = aws::Credentials{.access_key_id = "AKID",
                                                   .secret_access_key = Secret("hidden"),
                                                   .session_token = {},
                                                   .expires_at = {}};
  int refusals = 0;
};

class CountingPressure final : public PressureSignal {
 public:
  void throttled(std::optional<Duration> retry_after) override {
    ++times;
    last = retry_after;
  }
  int times = 0;
  std::optional<Duration> last;
};

class S3StoreTest : public testing::Test {
 protected:
  void open(const std::string& text) {
    auto url = parse_store_url(text, {});
    ASSERT_TRUE(url);
    auto options = s3_options(*url, {}, {});
    ASSERT_TRUE(options) << describe(options.error());
    store_ = std::make_unique<S3Store>(
        S3Store::Parts{runner_.loop(), client_, credentials_, pressure_}, std::move(*options));
  }
  void SetUp() override { open("s3://bucket/pre/fix?region=eu-west-1"); }
  template <class T>
  T run(rt::Task<T> task) {
    return run_one(runner_, std::move(task));
  }
  template <class T>
  ErrorCode code(rt::Task<Result<T>> task) {
    Result<T> result = run(std::move(task));
    EXPECT_FALSE(result);
    return result ? ErrorCode::internal : result.error().code;
  }

  SimRunner runner_{3};
  FakeClient client_{runner_.loop()};
  CountingCredentials credentials_;
  CountingPressure pressure_;
  std::unique_ptr<S3Store> store_;
};

const std::string kBase = "https://bucket.s3.eu-west-1.amazonaws.com/";

TEST_F(S3StoreTest, APutCarriesChecksumAndSignature) {
  client_.answer(200, "", {{"etag", "\"abc\""}});
  EXPECT_EQ(run(store_->put("data/a b", chain_of("hello"))), "abc");
  EXPECT_EQ(client_.requests[0].method, Method::put);
  EXPECT_EQ(client_.requests[0].url, kBase + "pre/fix/data/a%20b");
  EXPECT_EQ(client_.sent_body(0), "hello");
  EXPECT_EQ(client_.sent_header(0, "x-amz-checksum-crc32c"), "mnG7TA==");
  EXPECT_EQ(client_.sent_header(0, "x-amz-content-sha256"), "UNSIGNED-PAYLOAD");
  EXPECT_EQ(client_.sent_header(0, "if-none-match"), "none");
  EXPECT_NE(client_.sent_header(0, "authorization").find("x-amz-checksum-crc32c"),
            std::string::npos);
}

TEST_F(S3StoreTest, OverPlainHttpTheBodyItselfIsSigned) {
  open("s3://bucket/p?endpoint=http://h:1");
  client_.answer(200, "", {{"etag", "\"e\""}});
  run(store_->put("a", chain_of("hello")));
  EXPECT_EQ(client_.requests[0].url, "http://h:1/bucket/p/a");
  EXPECT_EQ(client_.sent_header(0, "x-amz-content-sha256"),
            "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824");
}

TEST_F(S3StoreTest, ToThisMachineTheChecksumIsEnough) {
  for (std::string host : {"127.0.0.1:9000", "localhost", "localhost:1", "[::1]:9000"}) {
    open("s3://bucket/p?endpoint=http://" + host);
    client_.answer(200, "", {{"etag", "\"e\""}});
    run(store_->put("a", chain_of("hello")));
    EXPECT_EQ(client_.sent_header(client_.requests.size() - 1, "x-amz-content-sha256"),
              "UNSIGNED-PAYLOAD")
        << host;
  }
  for (std::string url : {"http://localhost.example.com", "http://localhost&checksum=none",
                          "http://localhost&payload=signed"}) {
    open("s3://bucket/p?endpoint=" + url);
    client_.answer(200, "", {{"etag", "\"e\""}});
    run(store_->put("a", chain_of("hello")));
    EXPECT_NE(client_.sent_header(client_.requests.size() - 1, "x-amz-content-sha256"),
              "UNSIGNED-PAYLOAD")
        << url;
  }
}

TEST_F(S3StoreTest, ConditionsAreThoseOfTheProtocol) {
  client_.answer(200, "", {{"etag", "\"one\""}});
  client_.answer(200, "", {{"etag", "\"two\""}});
  EXPECT_EQ(run(store_->put_if_absent("a", chain_of("x"))), "one");
  EXPECT_EQ(run(store_->put_if_match("a", chain_of("x"), "one")), "two");
  EXPECT_EQ(client_.sent_header(0, "if-none-match"), "*");
  EXPECT_EQ(client_.sent_header(1, "if-match"), "\"one\"");
}

TEST_F(S3StoreTest, NewObjectsGetWhatTheUrlSays) {
  open(
      "s3://bucket?region=r&storage_class=STANDARD_IA&sse=aws:kms&sse_kms_key_id=k&"
      "sse_bucket_key=true&tags=a%3Db&checksum=none");
  client_.answer(200);
  run(store_->put("a", chain_of("x")));
  EXPECT_EQ(client_.sent_header(0, "x-amz-storage-class"), "STANDARD_IA");
  EXPECT_EQ(client_.sent_header(0, "x-amz-server-side-encryption"), "aws:kms");
  EXPECT_EQ(client_.sent_header(0, "x-amz-server-side-encryption-aws-kms-key-id"), "k");
  EXPECT_EQ(client_.sent_header(0, "x-amz-server-side-encryption-bucket-key-enabled"), "true");
  EXPECT_EQ(client_.sent_header(0, "x-amz-tagging"), "a=b");
  EXPECT_EQ(client_.sent_header(0, "x-amz-checksum-crc32c"), "none");
}

TEST_F(S3StoreTest, RepeatsNothing) {
  for (ErrorCode lost :
       {ErrorCode::unknown_outcome, ErrorCode::timed_out, ErrorCode::unavailable}) {
    client_.answer_error(lost);
    EXPECT_EQ(code(store_->put_if_absent("a", chain_of("x"))), lost);
  }
  client_.answer(503, "<Error><Code>SlowDown</Code></Error>", {{"retry-after", "2"}});
  EXPECT_EQ(code(store_->put_if_absent("a", chain_of("x"))), ErrorCode::unknown_outcome);
  EXPECT_EQ(client_.requests.size(), 4u);
  EXPECT_EQ(pressure_.times, 1);
  EXPECT_EQ(pressure_.last, Duration(2s));
}

TEST_F(S3StoreTest, RefusedCredentialsAreReported) {
  client_.answer(400, "<Error><Code>ExpiredToken</Code></Error>");
  EXPECT_EQ(code(store_->get("a")), ErrorCode::configuration);
  EXPECT_EQ(credentials_.refusals, 1);
  credentials_.held->expires_at = WallMillis(1);
  client_.answer(400, "<Error><Code>ExpiredToken</Code></Error>");
  EXPECT_EQ(code(store_->get("a")), ErrorCode::unavailable);
  credentials_.held = fail(ErrorCode::unavailable, "metadata service");
  EXPECT_EQ(code(store_->put("a", chain_of("x"))), ErrorCode::unavailable);
  EXPECT_EQ(client_.requests.size(), 2u);
}

TEST_F(S3StoreTest, AGetVerifiesTheChecksumOfTheWholeObject) {
  client_.answer(200, "hello", {{"x-amz-checksum-crc32c", "mnG7TA=="}});
  EXPECT_TRUE(run(store_->get("a")));
  EXPECT_EQ(client_.sent_header(0, "x-amz-checksum-mode"), "ENABLED");
  client_.answer(200, "hullo", {{"x-amz-checksum-crc32c", "mnG7TA=="}});
  EXPECT_EQ(code(store_->get("a")), ErrorCode::corrupt);
  client_.answer(200, "hullo", {{"x-amz-checksum-crc32c", "mnG7TA==-3"}});
  EXPECT_TRUE(run(store_->get("a")));
}

TEST_F(S3StoreTest, ARangeIsExactWhateverTheServerSends) {
  client_.answer(206, "345");
  auto range = run(store_->get_range("a", 3, 3));
  ASSERT_TRUE(range);
  EXPECT_EQ(as_text(range->view()), "345");
  EXPECT_EQ(client_.sent_header(0, "range"), "bytes=3-5");
  client_.answer(206, "34");
  EXPECT_EQ(code(store_->get_range("a", 3, 3)), ErrorCode::invalid_argument);
  client_.answer(200, "0123456789");
  EXPECT_EQ(as_text(run(store_->get_range("a", 3, 3))->view()), "345");
  client_.answer(416, "<Error><Code>InvalidRange</Code></Error>");
  EXPECT_EQ(code(store_->get_range("a", 3, 3)), ErrorCode::invalid_argument);
  client_.answer(200, "", {{"content-length", "10"}});
  EXPECT_TRUE(run(store_->get_range("a", 10, 0)));
  EXPECT_EQ(client_.requests.back().method, Method::head);
}

TEST_F(S3StoreTest, ListsPageByPageAndLeavesOutWhatIsNotOurs) {
  client_.answer(200,
                 "<ListBucketResult><IsTruncated>true</IsTruncated>"
                 "<NextContinuationToken>to/ken+=</NextContinuationToken>"
                 "<Contents><Key>pre/fix/data/a&amp;b</Key><Size>7</Size><ETag>&quot;e&quot;</ETag>"
                 "</Contents><Contents><Key>pre/fix/data/</Key><Size>0</Size></Contents>"
                 "</ListBucketResult>");
  auto page = run(store_->list("data/", ""));
  ASSERT_TRUE(page) << describe(page.error());
  ASSERT_EQ(page->objects.size(), 1u);
  EXPECT_EQ(page->objects[0].name, "data/a&b");
  EXPECT_EQ(page->objects[0].size, 7u);
  EXPECT_EQ(page->objects[0].etag, "e");
  EXPECT_EQ(client_.requests[0].url,
            kBase + "?list-type=2&max-keys=1000&prefix=pre%2Ffix%2Fdata%2F");
  client_.answer(
      200,
      "<ListBucketResult><EncodingType>url</EncodingType><IsTruncated>false</IsTruncated>"
      "<Contents><Key>pre/fix/data/x+y%2Bz</Key><Size>1</Size></Contents>"
      "</ListBucketResult>");
  auto last = run(store_->list("data/", page->next));
  ASSERT_TRUE(last);
  EXPECT_TRUE(last->next.empty());
  EXPECT_EQ(last->objects[0].name, "data/x y+z");
  EXPECT_TRUE(client_.requests[1].url.ends_with("&continuation-token=to%2Fken%2B%3D"));
}

TEST_F(S3StoreTest, AListingThatMakesNoSenseIsTriedAgain) {
  for (const char* text :
       {"<html/>", "nonsense",
        "<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>",
        "<ListBucketResult><Contents><Key>pre/fix/a</Key></Contents></ListBucketResult>"}) {
    client_.answer(200, text);
    EXPECT_EQ(code(store_->list("", "")), ErrorCode::unavailable) << text;
  }
}

TEST_F(S3StoreTest, ADeletionNamesWhatFailedInsideASuccess) {
  client_.answer(200,
                 "<DeleteResult><Error><Key>pre/fix/a</Key><Code>AccessDenied</Code></Error>"
                 "<Error><Key>pre/fix/b</Key><Code>SlowDown</Code></Error>"
                 "<Error><Key>pre/fix/c</Key><Code>NoSuchKey</Code></Error></DeleteResult>");
  auto failures = run(store_->remove({"a", "b", "c", "d<&>", "bad//name"}));
  ASSERT_TRUE(failures);
  ASSERT_EQ(failures->size(), 3u);
  EXPECT_EQ((*failures)[0].first, "bad//name");
  EXPECT_EQ((*failures)[1].first, "a");
  EXPECT_EQ((*failures)[1].second.code, ErrorCode::configuration);
  EXPECT_EQ((*failures)[2].second.code, ErrorCode::unknown_outcome);
  EXPECT_EQ(pressure_.times, 1);
  EXPECT_EQ(client_.requests[0].url, kBase + "?delete=");
  EXPECT_NE(client_.sent_body(0).find("<Key>pre/fix/d&lt;&amp;&gt;</Key>"), std::string::npos);
  EXPECT_NE(client_.sent_header(0, "x-amz-checksum-crc32c"), "none");
}

TEST_F(S3StoreTest, CutsLongDeletionsIntoCalls) {
  client_.handler = [](const http::ClientRequest&) -> Result<http::ClientResponse> {
    return FakeClient::response(200, "<DeleteResult/>");
  };
  std::vector<std::string> names(2 * kRemoveNamesPerCallMax + 1, "a");
  EXPECT_TRUE(run(store_->remove(names)));
  EXPECT_EQ(client_.requests.size(), 3u);
  EXPECT_TRUE(run(store_->remove({})));
  EXPECT_EQ(client_.requests.size(), 3u);
}

TEST_F(S3StoreTest, NamesThatAreTooLongWithThePrefixAreRefused) {
  // A name may be as long as the key that S3 allows; the prefix takes its share.
  std::string name = std::string(240, 'n') + "/" + std::string(240, 'n') + "/" +
                     std::string(240, 'n') + "/" + std::string(240, 'n') + "/" +
                     std::string(55, 'n');
  EXPECT_EQ(code(store_->put(name, chain_of("x"))), ErrorCode::invalid_argument);
  EXPECT_EQ(code(store_->get("../a")), ErrorCode::invalid_argument);
  EXPECT_TRUE(client_.requests.empty());
}

TEST_F(S3StoreTest, ReachRepeatsWhatMayPassAndGivesUpInTime) {
  client_.answer_error(ErrorCode::unavailable);
  client_.answer(200, "<ListBucketResult/>");
  EXPECT_TRUE(run(store_->reach(runner_.loop().now() + 8s)));
  client_.handler = [](const http::ClientRequest&) -> Result<http::ClientResponse> {
    return fail(ErrorCode::unavailable, "no route");
  };
  MonoTime begin = runner_.loop().now();
  EXPECT_EQ(code(store_->reach(begin + 8s)), ErrorCode::unavailable);
  EXPECT_LE(runner_.loop().now() - begin, 8s);
  client_.requests.clear();
  client_.answer(404, "<Error><Code>NoSuchBucket</Code></Error>");
  EXPECT_EQ(code(store_->reach(runner_.loop().now() + 8s)), ErrorCode::configuration);
  EXPECT_EQ(client_.requests.size(), 1u);
}

}  // namespace
}  // namespace weir::objstore::s3
