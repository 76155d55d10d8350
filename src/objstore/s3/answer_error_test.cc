#include "objstore/s3/answer_error.h"

#include <gtest/gtest.h>

#include "http/fake_client_for_test.h"
#include "objstore/s3/http_date.h"

namespace weir::objstore::s3 {
namespace {

using http::FakeClient;

std::string error_body(const std::string& code, const std::string& more = "") {
  return "<?xml version=\"1.0\"?><Error><Code>" + code + "</Code><Message>said so</Message>" +
         more + "</Error>";
}

Asked asked(Call call) {
  return {.call = call,
          .where = "s3://bucket/p",
          .region = "eu-west-1",
          .credentials_source = "environment",
          .credentials_renewable = false,
          .now = WallMillis(1'369'353'600'000)};
}

Refusal refusal(Call call, int status, const std::string& code = "",
                http::HeaderFields headers = {}) {
  return refusal_of(asked(call), FakeClient::response(status, code.empty() ? "" : error_body(code),
                                                      std::move(headers)));
}

ErrorCode code(Call call, int status, const std::string& name = "") {
  return refusal(call, status, name).error.code;
}

TEST(S3AnswerError, APreconditionIsAnAnswerAboutTheObject) {
  EXPECT_EQ(code(Call::put_if_absent, 412, "PreconditionFailed"), ErrorCode::already_exists);
  EXPECT_EQ(code(Call::put_if_match, 412, "PreconditionFailed"), ErrorCode::precondition);
  EXPECT_EQ(code(Call::put_if_match, 404, "NoSuchKey"), ErrorCode::precondition);
  EXPECT_EQ(code(Call::put_if_match, 404), ErrorCode::precondition);
}

TEST(S3AnswerError, AConflictSaysNothingAndIsTriedAgain) {
  for (Call call : {Call::put_if_absent, Call::put_if_match, Call::put})
    EXPECT_EQ(code(call, 409, "ConditionalRequestConflict"), ErrorCode::unavailable);
  EXPECT_EQ(code(Call::put, 409, "OperationAborted"), ErrorCode::unavailable);
  EXPECT_EQ(code(Call::put, 409, "ObjectParentIsFile"), ErrorCode::configuration);
}

TEST(S3AnswerError, AnAbsentObjectIsNotFoundAndAnAbsentBucketIsAMistake) {
  EXPECT_EQ(code(Call::get, 404, "NoSuchKey"), ErrorCode::not_found);
  EXPECT_EQ(code(Call::head, 404), ErrorCode::not_found);
  for (Call call : {Call::get, Call::put, Call::put_if_absent, Call::put_if_match, Call::list})
    EXPECT_EQ(code(call, 404, "NoSuchBucket"), ErrorCode::configuration);
  EXPECT_EQ(code(Call::list, 404), ErrorCode::configuration);
}

TEST(S3AnswerError, TroubleOfTheServerLeavesTheOutcomeOfAWriteUnknown) {
  for (int status : {500, 502, 503, 504, 429, 408}) {
    for (Call call :
         {Call::put, Call::put_if_absent, Call::put_if_match, Call::remove, Call::complete_upload})
      EXPECT_EQ(code(call, status), ErrorCode::unknown_outcome) << status;
    for (Call call : {Call::get, Call::get_range, Call::head, Call::list, Call::upload_part})
      EXPECT_EQ(code(call, status), ErrorCode::unavailable) << status;
  }
}

TEST(S3AnswerError, ThrottlingIsToldWithWhatTheStoreAskedFor) {
  EXPECT_TRUE(refusal(Call::put, 503, "SlowDown").throttled);
  EXPECT_TRUE(refusal(Call::get, 429).throttled);
  EXPECT_FALSE(refusal(Call::get, 500, "InternalError").throttled);
  EXPECT_FALSE(refusal(Call::put_if_absent, 412).throttled);
  EXPECT_EQ(refusal(Call::put, 503, "SlowDown", {{"retry-after", "7"}}).retry_after, Duration(7s));
  for (const char* text : {"", "soon", "-1", "99999999"})
    EXPECT_EQ(refusal(Call::put, 503, "SlowDown", {{"retry-after", text}}).retry_after,
              std::nullopt);
}

TEST(S3AnswerError, CredentialsAreRenewedWhereTheyCanBe) {
  for (const char* name :
       {"ExpiredToken", "InvalidToken", "InvalidAccessKeyId", "TokenRefreshRequired"}) {
    Asked question = asked(Call::put_if_absent);
    auto answer = FakeClient::response(name == std::string("InvalidAccessKeyId") ? 403 : 400,
                                       error_body(name));
    Refusal fixed = refusal_of(question, answer);
    EXPECT_EQ(fixed.error.code, ErrorCode::configuration) << name;
    EXPECT_TRUE(fixed.credentials_refused);
    question.credentials_renewable = true;
    EXPECT_EQ(refusal_of(question, answer).error.code, ErrorCode::unavailable) << name;
  }
  Refusal wrong_key = refusal(Call::put, 403, "SignatureDoesNotMatch");
  EXPECT_EQ(wrong_key.error.code, ErrorCode::configuration);
  EXPECT_NE(wrong_key.error.message.find("secret key from environment"), std::string::npos);
}

TEST(S3AnswerError, AMissingPermissionIsNamed) {
  Refusal denied = refusal(Call::put, 403, "AccessDenied");
  EXPECT_EQ(denied.error.code, ErrorCode::configuration);
  EXPECT_NE(denied.error.message.find("s3:PutObject"), std::string::npos);
  EXPECT_NE(refusal(Call::get, 403).error.message.find("s3:ListBucket"), std::string::npos);
  EXPECT_NE(refusal(Call::remove, 403).error.message.find("s3:DeleteObject"), std::string::npos);
}

TEST(S3AnswerError, ABucketElsewhereIsNamedWithItsRegion) {
  Refusal moved =
      refusal(Call::list, 301, "PermanentRedirect", {{"x-amz-bucket-region", "us-west-2"}});
  EXPECT_EQ(moved.error.code, ErrorCode::configuration);
  EXPECT_NE(
      moved.error.message.find("in region us-west-2, not in eu-west-1; write region=us-west-2"),
      std::string::npos)
      << moved.error.message;
  auto body = FakeClient::response(
      400, error_body("AuthorizationHeaderMalformed", "<Region>us-east-2</Region>"));
  EXPECT_NE(refusal_of(asked(Call::get), body).error.message.find("region=us-east-2"),
            std::string::npos);
  EXPECT_NE(refusal(Call::head, 301).error.message.find("correct region or endpoint"),
            std::string::npos);
  EXPECT_EQ(code(Call::put, 307, "TemporaryRedirect"), ErrorCode::unavailable);
}

TEST(S3AnswerError, AWrongClockIsToldBySeconds) {
  Refusal behind =
      refusal(Call::put, 403, "RequestTimeTooSkewed", {{"date", "Fri, 24 May 2013 01:00:00 GMT"}});
  EXPECT_EQ(behind.error.code, ErrorCode::configuration);
  EXPECT_NE(behind.error.message.find("clock is 3600 s behind the store's"), std::string::npos)
      << behind.error.message;
  Refusal ahead =
      refusal(Call::put, 403, "RequestTimeTooSkewed", {{"date", "Thu, 23 May 2013 23:59:00 GMT"}});
  EXPECT_NE(ahead.error.message.find("clock is 60 s ahead of the store's"), std::string::npos);
  EXPECT_EQ(code(Call::put, 403, "RequestTimeTooSkewed"), ErrorCode::configuration);
}

TEST(S3AnswerError, WhatTheStoreDoesNotTakeWasNotApplied) {
  EXPECT_EQ(code(Call::get_range, 416, "InvalidRange"), ErrorCode::invalid_argument);
  EXPECT_EQ(code(Call::put, 400, "EntityTooLarge"), ErrorCode::too_large);
  EXPECT_EQ(code(Call::put, 413), ErrorCode::too_large);
  EXPECT_EQ(code(Call::put, 400, "KeyTooLongError"), ErrorCode::invalid_argument);
  EXPECT_EQ(code(Call::put, 507), ErrorCode::out_of_space);
  EXPECT_EQ(code(Call::put_if_absent, 501, "NotImplemented"), ErrorCode::unsupported);
  EXPECT_EQ(code(Call::put, 405), ErrorCode::unsupported);
  EXPECT_EQ(code(Call::put, 400, "InvalidArgument"), ErrorCode::configuration);
  EXPECT_EQ(code(Call::put, 400, "RequestTimeout"), ErrorCode::unavailable);
  EXPECT_EQ(code(Call::put, 400, "BadDigest"), ErrorCode::unavailable);
  EXPECT_EQ(code(Call::get, 403, "InvalidObjectState"), ErrorCode::configuration);
}

TEST(S3AnswerError, AMessageIsOneLineWithTheStoresWords) {
  auto answer = FakeClient::response(400, "<Error><Code>Odd</Code><Message>two\nlines " +
                                              std::string(5'000, 'x') + "</Message></Error>");
  std::string message = refusal_of(asked(Call::put), answer).error.message;
  EXPECT_TRUE(message.starts_with("PutObject on s3://bucket/p: 400 Odd: ")) << message;
  EXPECT_EQ(message.find('\n'), std::string::npos);
  EXPECT_LT(message.size(), 600u);
}

TEST(S3AnswerError, AnAnswerThatIsNoXmlIsJudgedByItsStatus) {
  auto answer = FakeClient::response(503, "<html><body>oops");
  EXPECT_EQ(refusal_of(asked(Call::put), answer).error.code, ErrorCode::unknown_outcome);
  EXPECT_EQ(refusal_of(asked(Call::get), answer).error.code, ErrorCode::unavailable);
}

TEST(S3AnswerError, ARequestWithoutAnAnswerKeepsWhatMayBeConcluded) {
  auto code_of = [](Call call, ErrorCode from) {
    return without_answer(asked(call), {from, "m"}).code;
  };
  for (Call call : {Call::put, Call::put_if_absent, Call::remove, Call::complete_upload}) {
    for (ErrorCode from : {ErrorCode::unknown_outcome, ErrorCode::corrupt, ErrorCode::too_large,
                           ErrorCode::cancelled})
      EXPECT_EQ(code_of(call, from), ErrorCode::unknown_outcome);
    EXPECT_EQ(code_of(call, ErrorCode::timed_out), ErrorCode::timed_out);
    EXPECT_EQ(code_of(call, ErrorCode::unavailable), ErrorCode::unavailable);
    EXPECT_EQ(code_of(call, ErrorCode::configuration), ErrorCode::configuration);
  }
  for (Call call : {Call::get, Call::list, Call::upload_part}) {
    EXPECT_EQ(code_of(call, ErrorCode::unknown_outcome), ErrorCode::unavailable);
    EXPECT_EQ(code_of(call, ErrorCode::corrupt), ErrorCode::unavailable);
    EXPECT_EQ(code_of(call, ErrorCode::too_large), ErrorCode::too_large);
  }
  EXPECT_EQ(without_answer(asked(Call::put), {ErrorCode::unavailable, "h: refused"}).message,
            "PutObject on s3://bucket/p: h: refused");
}

TEST(S3AnswerError, CodesInsideASuccessAreJudgedToo) {
  EXPECT_EQ(refusal_of_code(asked(Call::remove), "AccessDenied", "no").error.code,
            ErrorCode::configuration);
  EXPECT_EQ(refusal_of_code(asked(Call::remove), "InternalError", "no").error.code,
            ErrorCode::unknown_outcome);
  EXPECT_TRUE(refusal_of_code(asked(Call::remove), "SlowDown", "no").throttled);
  EXPECT_EQ(refusal_of_code(asked(Call::complete_upload), "InternalError", "").error.code,
            ErrorCode::unknown_outcome);
}

TEST(S3HttpDate, ReadsOneFormOnly) {
  EXPECT_EQ(parse_http_date("Fri, 24 May 2013 00:00:00 GMT"), WallMillis(1'369'353'600'000));
  for (const char* text : {"", "Fri, 24 May 2013 00:00:00 UTC", "Fri, 24 Mai 2013 00:00:00 GMT",
                           "Fri, 32 May 2013 00:00:00 GMT", "Fri, 24 May 2013 25:00:00 GMT",
                           "Friday, 24-May-13 00:00:00 GMT"})
    EXPECT_EQ(parse_http_date(text), std::nullopt) << text;
}

}  // namespace
}  // namespace weir::objstore::s3
