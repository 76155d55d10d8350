// Large objects in parts, and the sessions of directory buckets.
#include "objstore/s3/multipart.h"

#include <gtest/gtest.h>

#include "http/fake_client_for_test.h"
#include "objstore/conformance_harness.h"
#include "objstore/s3/limits.h"
#include "objstore/s3/s3_store.h"

namespace weir::objstore::s3 {
namespace {

using http::FakeClient;
using http::Method;

class RemoteTest : public testing::Test {
 protected:
  void open(const std::string& text) {
    auto options = s3_options(parse_store_url(text, {}).value(), {}, {});
    ASSERT_TRUE(options);
    store_ = std::make_unique<S3Store>(
        S3Store::Parts{runner_.loop(), client_, credentials_, pressure_}, std::move(*options));
  }
  template <class T>
  T run(rt::Task<T> task) {
    return run_one(runner_, std::move(task));
  }
  std::size_t count(Method method, const std::string& part) const {
    return static_cast<std::size_t>(std::ranges::count_if(client_.requests, [&](const auto& r) {
      return r.method == method && r.url.find(part) != std::string::npos;
    }));
  }

  SimRunner runner_{5};
  FakeClient client_{runner_.loop()};
  aws::StaticCredentials credentials_{{.access_key_id = "AKID",
                                       .secret_access_key = Secret("s"),
                                       .session_token = {},
                                       .expires_at = {}},
                                      "the test"};
  NoPressure pressure_;
  std::unique_ptr<S3Store> store_;
};

/// Answers as S3 does; `fault` may answer first.
Result<http::ClientResponse> upload_answer(const http::ClientRequest& request) {
  if (request.url.find("?uploads=") != std::string::npos)
    return FakeClient::response(200,
                                "<InitiateMultipartUploadResult><UploadId>up/1</UploadId>"
                                "</InitiateMultipartUploadResult>");
  if (request.url.find("partNumber=") != std::string::npos)
    return FakeClient::response(200, "", {{"etag", "\"part\""}});
  if (request.method == Method::remove) return FakeClient::response(204);
  return FakeClient::response(200,
                              "<CompleteMultipartUploadResult><ETag>\"whole-5\"</ETag>"
                              "</CompleteMultipartUploadResult>");
}

BytesChain large() { return BytesChain(SharedBytes(Buffer::make(kMultipartBytesMin + 1))); }

TEST_F(RemoteTest, ALargeBodyGoesUpInPartsAndIsCompletedInOrder) {
  open("s3://bucket/p?region=r");
  client_.handler = upload_answer;
  EXPECT_EQ(run(store_->put("big", large())), "whole-5");
  EXPECT_EQ(count(Method::put, "partNumber="), kMultipartBytesMin / kPartBytes + 1);
  EXPECT_EQ(client_.sent_header(0, "x-amz-checksum-algorithm"), "CRC32C");
  std::string last = client_.sent_body(client_.requests.size() - 1);
  EXPECT_LT(last.find("<PartNumber>1</PartNumber>"), last.find("<PartNumber>5</PartNumber>"));
  EXPECT_NE(last.find("<ChecksumCRC32C>"), std::string::npos);
  EXPECT_TRUE(client_.requests.back().url.ends_with("p/big?uploadId=up%2F1"));
  EXPECT_EQ(count(Method::remove, ""), 0u);
}

TEST_F(RemoteTest, AFailedPartEndsTheUploadWithoutDoubt) {
  open("s3://bucket/p?region=r");
  client_.handler = [](const http::ClientRequest& request) -> Result<http::ClientResponse> {
    if (request.url.find("partNumber=2&") != std::string::npos)
      return fail(ErrorCode::unknown_outcome, "lost");
    return upload_answer(request);
  };
  auto etag = run(store_->put("big", large()));
  ASSERT_FALSE(etag);
  EXPECT_EQ(etag.error().code, ErrorCode::unavailable);
  EXPECT_EQ(count(Method::remove, "uploadId=up%2F1"), 1u);
  EXPECT_EQ(count(Method::post, "?uploadId="), 0u);
}

TEST_F(RemoteTest, ACompletionMayFailInsideASuccess) {
  open("s3://bucket/p?region=r");
  client_.handler = [](const http::ClientRequest& request) -> Result<http::ClientResponse> {
    if (request.url.find("?uploadId=") != std::string::npos && request.method == Method::post)
      return FakeClient::response(200, "<Error><Code>InternalError</Code></Error>");
    return upload_answer(request);
  };
  auto etag = run(store_->put("big", large()));
  ASSERT_FALSE(etag);
  EXPECT_EQ(etag.error().code, ErrorCode::unknown_outcome);
  // It may be completed after all.
  EXPECT_EQ(count(Method::remove, ""), 0u);
}

TEST_F(RemoteTest, ConditionalWritesAreOneRequestWhateverTheirSize) {
  open("s3://bucket/p?region=r");
  client_.answer(200, "", {{"etag", "\"e\""}});
  EXPECT_EQ(run(store_->put_if_absent("big", large())), "e");
  EXPECT_EQ(client_.requests.size(), 1u);
}

TEST_F(RemoteTest, OldUploadsOfOurPrefixAreAborted) {
  open("s3://bucket/p?region=r");
  std::string upload = "<Upload><Key>p/a</Key><UploadId>1</UploadId><Initiated>";
  client_.answer(200,
                 "<ListMultipartUploadsResult><IsTruncated>true</IsTruncated><NextKeyMarker>k"
                 "</NextKeyMarker><NextUploadIdMarker>i</NextUploadIdMarker>" +
                     upload + "1970-01-01T00:00:00Z</Initiated></Upload>" + upload +
                     "2099-01-01T00:00:00Z</Initiated></Upload></ListMultipartUploadsResult>");
  client_.answer(204);
  client_.answer(200,
                 "<ListMultipartUploadsResult><Upload><Key>other/a</Key><UploadId>2</UploadId>"
                 "<Initiated>1970-01-01T00:00:00Z</Initiated></Upload>"
                 "</ListMultipartUploadsResult>");
  EXPECT_EQ(run(store_->abort_stale_uploads()), 1u);
  EXPECT_TRUE(client_.requests[1].url.ends_with("p/a?uploadId=1"));
  EXPECT_TRUE(client_.requests[2].url.ends_with("&prefix=p%2F&key-marker=k&upload-id-marker=i"));
}

TEST(S3Multipart, CutsWithoutCopying) {
  BytesChain body;
  SharedBytes first = SharedBytes::copy_of(as_bytes("0123456"));
  body.append(first);
  body.append(SharedBytes::copy_of(as_bytes("789")));
  auto pieces = cut(body, 4);
  ASSERT_EQ(pieces.size(), 3u);
  EXPECT_EQ(as_text(pieces[0].flatten().view()), "0123");
  EXPECT_EQ(as_text(pieces[1].flatten().view()), "4567");
  EXPECT_EQ(as_text(pieces[2].flatten().view()), "89");
  EXPECT_EQ(pieces[0].parts()[0].view().data(), first.view().data());
  EXPECT_EQ(cut(body, 10).size(), 1u);
  EXPECT_EQ(cut(body, 5).size(), 2u);
}

constexpr const char* kDirectoryBucket = "s3://b--euw1-az1--x-s3/p?region=eu-west-1";

std::string session(const std::string& key, const std::string& until) {
  return "<CreateSessionResult><Credentials><AccessKeyId>" + key +
         "</AccessKeyId><SecretAccessKey>s</SecretAccessKey><SessionToken>tok</SessionToken>"
         "<Expiration>" +
         until + "</Expiration></Credentials></CreateSessionResult>";
}

TEST_F(RemoteTest, ADirectoryBucketIsUsedThroughASession) {
  open(kDirectoryBucket);
  client_.answer(200, session("SESSION", "2099-01-01T00:00:00Z"));
  client_.answer(200, "", {{"etag", "\"e\""}});
  client_.answer(200, "", {{"etag", "\"e\""}});
  EXPECT_TRUE(run(store_->put("a", chain_of("x"))));
  EXPECT_TRUE(run(store_->put("b", chain_of("x"))));
  ASSERT_EQ(client_.requests.size(), 3u);
  EXPECT_EQ(client_.requests[0].url,
            "https://b--euw1-az1--x-s3.s3express-euw1-az1.eu-west-1.amazonaws.com/?session");
  EXPECT_NE(client_.sent_header(0, "authorization").find("AKID/"), std::string::npos);
  EXPECT_NE(client_.sent_header(0, "authorization").find("/s3express/"), std::string::npos);
  EXPECT_NE(client_.sent_header(1, "authorization").find("SESSION/"), std::string::npos);
  EXPECT_EQ(client_.sent_header(1, "x-amz-s3session-token"), "tok");
}

TEST_F(RemoteTest, AnExpiredOrRefusedSessionIsMadeAnew) {
  open(kDirectoryBucket);
  client_.answer(200, session("ONE", "1970-01-01T00:00:01Z"));
  client_.answer(200);
  EXPECT_TRUE(run(store_->put("a", chain_of("x"))));
  client_.answer(200, session("TWO", "2099-01-01T00:00:00Z"));
  client_.answer(400, "<Error><Code>ExpiredToken</Code></Error>");
  auto refused = run(store_->put("a", chain_of("x")));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::unavailable);
  client_.answer(200, session("THREE", "2099-01-01T00:00:00Z"));
  client_.answer(200);
  EXPECT_TRUE(run(store_->put("a", chain_of("x"))));
  EXPECT_EQ(client_.requests.size(), 6u);
}

TEST_F(RemoteTest, WithoutASessionNothingWasApplied) {
  open(kDirectoryBucket);
  client_.answer_error(ErrorCode::timed_out);
  client_.answer(403, "<Error><Code>AccessDenied</Code></Error>");
  client_.answer(200, "nonsense");
  for (ErrorCode wanted :
       {ErrorCode::unavailable, ErrorCode::configuration, ErrorCode::unavailable}) {
    auto etag = run(store_->put_if_absent("a", chain_of("x")));
    ASSERT_FALSE(etag);
    EXPECT_EQ(etag.error().code, wanted) << describe(etag.error());
  }
  EXPECT_EQ(client_.requests.size(), 3u);
}

TEST_F(RemoteTest, ManyRequestsShareOneSession) {
  open(kDirectoryBucket);
  client_.handler = [](const http::ClientRequest& request) -> Result<http::ClientResponse> {
    if (request.url.ends_with("?session"))
      return FakeClient::response(200, session("S", "2099-01-01T00:00:00Z"));
    return FakeClient::response(200, "", {{"etag", "\"e\""}});
  };
  std::vector<rt::Task<Result<std::string>>> puts;
  for (int i = 0; i < 16; ++i) puts.push_back(store_->put("a" + std::to_string(i), chain_of("x")));
  for (auto& etag : run_all(runner_, std::move(puts))) EXPECT_TRUE(etag);
  EXPECT_EQ(count(Method::get, "?session"), 1u);
}

TEST_F(RemoteTest, ADirectoryBucketIsListedByWholeDirectories) {
  open(kDirectoryBucket);
  client_.answer(200, session("S", "2099-01-01T00:00:00Z"));
  client_.answer(200,
                 "<ListBucketResult>"
                 "<Contents><Key>p/data/00b</Key><Size>1</Size></Contents>"
                 "<Contents><Key>p/data/01</Key><Size>1</Size></Contents>"
                 "<Contents><Key>p/data/00a</Key><Size>1</Size></Contents>"
                 "</ListBucketResult>");
  auto page = run(store_->list("data/00", ""));
  ASSERT_TRUE(page);
  EXPECT_EQ(page->objects.size(), 2u);
  EXPECT_TRUE(client_.requests[1].url.ends_with("&prefix=p%2Fdata%2F")) << client_.requests[1].url;
}

}  // namespace
}  // namespace weir::objstore::s3
