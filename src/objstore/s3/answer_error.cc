#include "objstore/s3/answer_error.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>

#include "http/xml.h"
#include "objstore/s3/http_date.h"
#include "objstore/s3/limits.h"

namespace weir::objstore::s3 {
namespace {

/// What the answer says about itself.
struct Told {
  int status = 0;
  std::string code;
  std::string message;
  /// Where the bucket really is.
  std::string region;
  std::string endpoint;
  std::optional<WallMillis> store_time;
};

Told told_by(const http::ClientResponse& answer) {
  Told told;
  told.status = answer.status;
  if (auto root = http::parse_xml(answer.text()); root && root->name == "Error") {
    told.code = root->child_text("Code");
    told.message = root->child_text("Message");
    told.region = root->child_text("Region");
    told.endpoint = root->child_text("Endpoint");
  }
  if (const std::string* region = answer.header("x-amz-bucket-region")) told.region = *region;
  if (const std::string* date = answer.header("date")) told.store_time = parse_http_date(*date);
  return told;
}

bool is_one_of(std::string_view code, std::initializer_list<std::string_view> codes) {
  return std::ranges::find(codes, code) != codes.end();
}

/// Whether the request needs no object to be there, so that what is not found is the bucket.
bool concerns_bucket(Call call) {
  return call == Call::list || call == Call::remove || call == Call::create_upload ||
         call == Call::list_uploads || call == Call::create_session || call == Call::put ||
         call == Call::put_if_absent;
}

class Judge {
 public:
  Judge(const Asked& asked, Told told) : asked_(asked), told_(std::move(told)) {}

  Refusal judge() {
    if (judge_credentials() || judge_place() || judge_object() || judge_request()) return out_;
    judge_server();
    return out_;
  }

 private:
  /// Sets the answer. `advice` says what to do; the store's own message is for those who look it
  /// up.
  bool conclude(ErrorCode code, std::string_view advice) {
    std::string text(to_string(asked_.call));
    text.append(" on ").append(asked_.where).append(": ");
    if (told_.status != 0) text += std::to_string(told_.status) + " ";
    text += told_.code.empty() ? "(no code)" : told_.code;
    if (!advice.empty()) text.append(": ").append(advice);
    if (!told_.message.empty()) text += " [" + told_.message.substr(0, kMessageCharsMax) + "]";
    // One line, whatever the peer sends.
    for (char& c : text)
      if (static_cast<unsigned char>(c) < 0x20) c = ' ';
    out_.error = {code, std::move(text)};
    return true;
  }

  bool judge_credentials() {
    std::string from(asked_.credentials_source);
    if (is_one_of(told_.code, {"ExpiredToken", "ExpiredTokenException", "TokenRefreshRequired",
                               "InvalidToken", "InvalidAccessKeyId", "XAdminUserNotFound"})) {
      out_.credentials_refused = true;
      return conclude(
          asked_.credentials_renewable ? ErrorCode::unavailable : ErrorCode::configuration,
          "the credentials from " + from + " are unknown or expired there; renew or correct them");
    }
    if (told_.code == "SignatureDoesNotMatch") {
      out_.credentials_refused = true;
      return conclude(ErrorCode::configuration,
                      "the secret key from " + from + " does not belong to its access key");
    }
    if (told_.code == "RequestTimeTooSkewed" || told_.code == "RequestExpired")
      return conclude(ErrorCode::configuration, skew_advice());
    return false;
  }

  std::string skew_advice() const {
    std::string off = "too far";
    if (told_.store_time) {
      std::int64_t seconds = (asked_.now.value - told_.store_time->value) / 1000;
      off = std::to_string(std::abs(seconds)) + " s " + (seconds < 0 ? "behind" : "ahead of");
    }
    return "this machine's clock is " + off + " the store's; set it, with NTP for instance";
  }

  /// Whether the bucket is there, and where.
  bool judge_place() {
    if (told_.code == "NoSuchBucket")
      return conclude(ErrorCode::configuration,
                      "there is no such bucket; create it, or correct the URL");
    if (is_one_of(told_.code, {"AuthorizationHeaderMalformed", "PermanentRedirect",
                               "IllegalLocationConstraintException"}) ||
        told_.status == 301) {
      if (!told_.region.empty() && told_.region != asked_.region)
        return conclude(ErrorCode::configuration, "the bucket is in region " + told_.region +
                                                      ", not in " + std::string(asked_.region) +
                                                      "; write region=" + told_.region);
      if (!told_.endpoint.empty())
        return conclude(ErrorCode::configuration, "the bucket is reached at " + told_.endpoint +
                                                      "; correct region or endpoint");
      return conclude(ErrorCode::configuration,
                      "the bucket is elsewhere; correct region or endpoint");
    }
    if (told_.status == 307 || told_.status == 302)
      return conclude(ErrorCode::unavailable,
                      "the store redirects for now, as for a new bucket; try again in a while");
    if (told_.code == "InvalidBucketName")
      return conclude(ErrorCode::configuration, "no bucket can have this name; correct the URL");
    return false;
  }

  /// Answers about an object.
  bool judge_object() {
    if (told_.status == 412 || told_.code == "PreconditionFailed") {
      if (asked_.call == Call::put_if_absent)
        return conclude(ErrorCode::already_exists, "there is one already");
      if (asked_.call == Call::put_if_match)
        return conclude(ErrorCode::precondition, "it has another version");
      return conclude(ErrorCode::configuration, "the bucket's policy demands what we do not send");
    }
    if (told_.status == 409 || told_.code == "ConditionalRequestConflict") {
      if (is_one_of(told_.code, {"ConditionalRequestConflict", "OperationAborted", ""}))
        return conclude(ErrorCode::unavailable, "another request was under way; try again");
      return conclude(ErrorCode::configuration, "the store cannot hold an object of this name");
    }
    if (told_.status == 404 || is_one_of(told_.code, {"NoSuchKey", "NoSuchVersion"})) {
      if (asked_.call == Call::put_if_match)
        return conclude(ErrorCode::precondition, "there is none");
      if (told_.code == "NoSuchUpload" && asked_.call == Call::complete_upload)
        return conclude(ErrorCode::unknown_outcome, "somebody ended the upload");
      if (concerns_bucket(asked_.call) && told_.code != "NoSuchUpload")
        return conclude(ErrorCode::configuration,
                        "there is no such bucket, or the endpoint is no S3 server; check both");
      return conclude(ErrorCode::not_found, "there is none");
    }
    if (told_.status == 416 || told_.code == "InvalidRange")
      return conclude(ErrorCode::invalid_argument, "the object ends before the range does");
    if (told_.code == "InvalidObjectState")
      return conclude(
          ErrorCode::configuration,
          "the object was moved to an archive; exempt the prefix from that lifecycle rule");
    return false;
  }

  /// The store understood, and does not want to, or did not understand.
  bool judge_request() {
    if (told_.status == 403 || is_one_of(told_.code, {"AccessDenied", "AllAccessDisabled"})) {
      std::string advice = "the credentials from " + std::string(asked_.credentials_source) +
                           " may not do this; allow them " +
                           std::string(permission_of(asked_.call));
      if (asked_.call == Call::get || asked_.call == Call::get_range || asked_.call == Call::head)
        advice += ", and s3:ListBucket, without which absent objects look forbidden";
      return conclude(ErrorCode::configuration, advice);
    }
    if (is_one_of(told_.code, {"RequestTimeout", "BadDigest", "XAmzContentSHA256Mismatch",
                               "XAmzContentChecksumMismatch", "IncompleteBody"}))
      return conclude(ErrorCode::unavailable, "the body did not arrive whole; try again");
    if (told_.status == 507 ||
        is_one_of(told_.code, {"QuotaExceeded", "InsufficientStorage", "XMinioStorageFull"}))
      return conclude(ErrorCode::out_of_space, "the store is full");
    if (told_.status == 413 || told_.code == "EntityTooLarge")
      return conclude(ErrorCode::too_large, "the store takes no object of this size");
    if (told_.code == "KeyTooLongError")
      return conclude(ErrorCode::invalid_argument, "the store takes no name of this length");
    if (told_.status == 405 || told_.status == 501 || told_.code == "NotImplemented")
      return conclude(ErrorCode::unsupported, "the store does not offer this");
    if (is_one_of(told_.code, {"KMS.DisabledException", "KMS.NotFoundException",
                               "KMS.KMSInvalidStateException"}))
      return conclude(ErrorCode::configuration,
                      "the encryption key cannot be used; check it in KMS");
    if (told_.status >= 400 && told_.status < 500 && told_.status != 408 && told_.status != 429 &&
        told_.status != 499)
      return conclude(ErrorCode::configuration, "the store refuses the request as it is");
    return false;
  }

  /// The store could not.
  void judge_server() {
    out_.throttled =
        told_.status == 429 || told_.status == 503 ||
        is_one_of(told_.code, {"SlowDown", "TooManyRequests", "RequestLimitExceeded", "Throttling",
                               "ThrottlingException", "ServiceUnavailable"});
    ErrorCode code =
        changes_objects(asked_.call) ? ErrorCode::unknown_outcome : ErrorCode::unavailable;
    conclude(code, out_.throttled ? "the store asks for fewer requests"
                                  : "the store could not; try again");
  }

  const Asked& asked_;
  Told told_;
  Refusal out_;
};

std::optional<Duration> retry_after_of(const http::ClientResponse& answer) {
  const std::string* text = answer.header("retry-after");
  if (!text) return std::nullopt;
  int seconds = 0;
  auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), seconds);
  if (error != std::errc() || seconds < 0 || seconds > 3600) return std::nullopt;
  return std::chrono::seconds(seconds);
}

}  // namespace

Refusal refusal_of(const Asked& asked, const http::ClientResponse& answer) {
  Refusal refusal = Judge(asked, told_by(answer)).judge();
  if (refusal.throttled) refusal.retry_after = retry_after_of(answer);
  return refusal;
}

Refusal refusal_of_code(const Asked& asked, std::string_view code, std::string_view message) {
  Told told;
  told.code = code;
  told.message = message;
  return Judge(asked, std::move(told)).judge();
}

Error without_answer(const Asked& asked, const Error& error) {
  Error out = error;
  out.message =
      std::string(to_string(asked.call)) + " on " + std::string(asked.where) + ": " + error.message;
  if (changes_objects(asked.call)) {
    // What could not be read of an answer may have been a success.
    if (error.is(ErrorCode::too_large) || error.is(ErrorCode::corrupt) ||
        error.is(ErrorCode::cancelled))
      out.code = ErrorCode::unknown_outcome;
  } else if (error.is(ErrorCode::unknown_outcome) || error.is(ErrorCode::corrupt)) {
    out.code = ErrorCode::unavailable;
  }
  return out;
}

}  // namespace weir::objstore::s3
