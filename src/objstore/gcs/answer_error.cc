#include "objstore/gcs/answer_error.h"

#include <algorithm>

#include "base/units.h"
#include "http/json_fields.h"
#include "objstore/gcs/limits.h"

namespace weir::objstore::gcs {
namespace {

/// What the store said: {"error": {"message": …, "errors": [{"reason": …}]}}.
struct Words {
  std::string reason;
  std::string message;
};

Words words_of(const http::ClientResponse& answer) {
  auto fields = http::JsonFields::parse(answer.text());
  if (fields && fields->has("error.message"))
    return {std::string(fields->text("error.errors.0.reason")),
            std::string(fields->text("error.message").substr(0, kMessageCharsMax))};
  std::string text(answer.text().substr(0, kMessageCharsMax));
  std::ranges::replace_if(text, [](unsigned char c) { return c < 0x20 || c > 0x7e; }, ' ');
  return {"", text};
}

bool says(const std::string& text, std::string_view word) {
  return text.find(word) != std::string::npos;
}

std::optional<Duration> retry_after_of(const http::ClientResponse& answer) {
  const std::string* text = answer.header("retry-after");
  auto seconds = text ? parse_integer(*text) : Result<std::int64_t>(0);
  if (!seconds || *seconds <= 0 || *seconds > 86'400) return std::nullopt;
  return *seconds * 1s;
}

ErrorCode code_of(Verb verb, int status, const Words& words, bool overload) {
  if (overload) return is_write(verb) ? ErrorCode::unknown_outcome : ErrorCode::unavailable;
  switch (status) {
    case 304:
    case 412:
      return verb == Verb::put_if_absent ? ErrorCode::already_exists : ErrorCode::precondition;
    case 404: {
      bool bucket =
          says(words.message, "bucket does not exist") || is_put(verb) || verb == Verb::list;
      return bucket ? ErrorCode::configuration : ErrorCode::not_found;
    }
    case 401:
    case 409: return ErrorCode::unavailable;
    case 413: return ErrorCode::too_large;
    case 416: return ErrorCode::invalid_argument;
    case 400: {
      bool checksum = says(words.message, "crc32c") || says(words.message, "CRC32C") ||
                      says(words.message, "checksum") || says(words.message, "MD5");
      return checksum ? ErrorCode::unavailable : ErrorCode::invalid_argument;
    }
    default: return ErrorCode::configuration;
  }
}

std::string_view advice_for(int status, ErrorCode code) {
  if (status == 403)
    return "; the service account needs storage.objects.create, .get, .list and .delete on the "
           "bucket (role Storage Object Admin)";
  if (status == 404 && code == ErrorCode::configuration)
    return "; create the bucket, or mend its name";
  return "";
}

}  // namespace

Refusal refusal_of(Verb verb, const http::ClientResponse& answer, std::string_view where) {
  Words words = words_of(answer);
  bool rate = answer.status == 429 ||
              (answer.status == 403 && (says(words.reason, "rateLimitExceeded") ||
                                        says(words.reason, "userRateLimitExceeded")));
  bool overload = rate || answer.status == 408 || answer.status >= 500;
  Refusal out;
  out.throttled = rate || answer.status == 503;
  out.retry_after = retry_after_of(answer);
  out.token_refused = answer.status == 401;
  ErrorCode code = code_of(verb, answer.status, words, overload);
  out.error = {code, std::string(where) + ": " + std::string(to_string(verb)) +
                         " was answered with status " + std::to_string(answer.status) +
                         (words.message.empty() ? "" : " (" + words.message + ")") +
                         std::string(advice_for(answer.status, code))};
  return out;
}

Error without_answer(Verb verb, Error error) {
  switch (error.code) {
    case ErrorCode::unavailable:
    case ErrorCode::configuration:
    case ErrorCode::timed_out: break;
    default: error.code = is_write(verb) ? ErrorCode::unknown_outcome : ErrorCode::unavailable;
  }
  return error;
}

}  // namespace weir::objstore::gcs
