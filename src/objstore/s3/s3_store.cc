#include "objstore/s3/s3_store.h"

#include <algorithm>

#include "base/narrow.h"
#include "objstore/aws/sigv4.h"
#include "objstore/object_name.h"
#include "objstore/s3/answers.h"
#include "objstore/s3/limits.h"
#include "objstore/s3/multipart.h"
#include "objstore/s3/object_fields.h"

namespace weir::objstore::s3 {
namespace {

Connection::Signer signer_of(const S3Options& options) {
  if (!options.is_directory_bucket()) return {};
  return {.service = "s3express", .token_header = "x-amz-s3session-token"};
}

std::string etag_of_answer(const http::ClientResponse& answer) {
  const std::string* etag = answer.header("etag");
  return etag ? bare_etag(*etag) : "";
}

}  // namespace

S3Store::S3Store(Parts parts, S3Options options)
    : loop_(parts.loop),
      pressure_(parts.pressure),
      options_(std::move(options)),
      key_prefix_(options_.prefix.empty() ? "" : options_.prefix + "/"),
      session_(options_.is_directory_bucket()
                   ? std::make_unique<ExpressSession>(parts.client, parts.credentials, options_)
                   : nullptr),
      connection_(parts.client,
                  session_ ? static_cast<aws::CredentialsProvider&>(*session_) : parts.credentials,
                  options_, signer_of(options_)) {}

std::string S3Store::key_of(std::string_view name) const { return key_prefix_ + std::string(name); }

Result<void> S3Store::check(std::string_view name) const {
  WEIR_TRY(check_name(name));
  if (key_prefix_.size() + name.size() > kNameBytesMax)
    return fail(ErrorCode::invalid_argument, "object name and prefix have more than " +
                                                 std::to_string(kNameBytesMax) + " bytes");
  return {};
}

rt::Task<Result<std::string>> S3Store::put(std::string name, BytesChain body) {
  return write({.call = Call::put, .name = std::move(name), .body = std::move(body)});
}

rt::Task<Result<std::string>> S3Store::put_if_absent(std::string name, BytesChain body) {
  return write({.call = Call::put_if_absent, .name = std::move(name), .body = std::move(body)});
}

rt::Task<Result<std::string>> S3Store::put_if_match(std::string name, BytesChain body,
                                                    std::string etag) {
  return write({.call = Call::put_if_match,
                .name = std::move(name),
                .body = std::move(body),
                .etag = std::move(etag)});
}

rt::Task<Result<std::string>> S3Store::write(Write write) {
  WEIR_CO_TRY(check(write.name));
  if (write.body.size() > kObjectBytesMax)
    co_return fail(ErrorCode::too_large, "object of " + std::to_string(write.body.size()) +
                                             " bytes, allowed are " +
                                             std::to_string(kObjectBytesMax));
  Trip trip;
  co_return co_await travel(write_there(std::move(write), trip), trip);
}

rt::Task<Result<std::string>> S3Store::write_there(Write write, Trip& trip) {
  if (write.call == Call::put && write.body.size() >= kMultipartBytesMin) {
    MultipartUpload upload(connection_, key_of(write.name), std::move(write.body), trip);
    co_return co_await upload.run();
  }
  Ask ask{.call = write.call,
          .method = http::Method::put,
          .key = key_of(write.name),
          .body = std::move(write.body),
          .answer_bytes_max = kAnswerBytesMax,
          .timeout = kRequestTimeout};
  ask.timeout += timeout_for(ask.body.size());
  add_object_fields(ask.headers, options_);
  if (options_.checksum) ask.headers.emplace_back(kChecksumField, checksum_of(ask.body));
  if (write.call == Call::put_if_absent) ask.headers.emplace_back("if-none-match", "*");
  if (write.call == Call::put_if_match)
    ask.headers.emplace_back("if-match", "\"" + write.etag + "\"");
  Result<http::ClientResponse> answer = co_await connection_.send(std::move(ask), trip);
  if (!answer) co_return std::unexpected(answer.error());
  co_return etag_of_answer(*answer);
}

rt::Task<Result<SharedBytes>> S3Store::get(std::string name) {
  WEIR_CO_TRY(check(name));
  Trip trip;
  co_return co_await travel(get_there(std::move(name), trip), trip);
}

rt::Task<Result<SharedBytes>> S3Store::get_there(std::string name, Trip& trip) {
  Ask ask{.call = Call::get,
          .key = key_of(name),
          .answer_bytes_max = kObjectBytesMax,
          .timeout = kWholeObjectTimeout};
  if (options_.checksum) ask.headers.emplace_back("x-amz-checksum-mode", "ENABLED");
  Result<http::ClientResponse> answer = co_await connection_.send(std::move(ask), trip);
  if (!answer) co_return std::unexpected(answer.error());
  // "…-3" is a checksum of checksums, of an object that went up in parts.
  const std::string* checksum = answer->header(kChecksumField);
  if (checksum && checksum->find('-') == std::string::npos &&
      *checksum != checksum_of(answer->body.view()))
    co_return fail(ErrorCode::corrupt, "object " + name + " does not have its checksum");
  co_return std::move(answer->body);
}

rt::Task<Result<SharedBytes>> S3Store::get_range(std::string name, std::uint64_t offset,
                                                 std::uint64_t length) {
  WEIR_CO_TRY(check(name));
  if (length > kObjectBytesMax || offset > kObjectBytesMax)
    co_return fail(ErrorCode::invalid_argument, "range past the end of object " + name);
  if (length == 0) {
    // There is no way to ask for nothing.
    Result<ObjectInfo> info = co_await head(name);
    if (!info) co_return std::unexpected(info.error());
    if (offset <= info->size) co_return SharedBytes();
    co_return fail(ErrorCode::invalid_argument, "range past the end of object " + name);
  }
  Trip trip;
  co_return co_await travel(
      range_there({.name = std::move(name), .offset = offset, .length = length}, trip), trip);
}

rt::Task<Result<SharedBytes>> S3Store::range_there(Range range, Trip& trip) {
  std::uint64_t end = range.offset + range.length;
  Ask ask{.call = Call::get_range,
          .key = key_of(range.name),
          .headers = {{"range",
                       "bytes=" + std::to_string(range.offset) + "-" + std::to_string(end - 1)}},
          // A refusal has to fit, too.
          .answer_bytes_max = std::max(narrow<std::size_t>(range.length), kAnswerBytesMax),
          .timeout = kRequestTimeout + timeout_for(range.length)};
  Result<http::ClientResponse> answer = co_await connection_.send(std::move(ask), trip);
  if (!answer) co_return std::unexpected(answer.error());
  SharedBytes body = std::move(answer->body);
  // Who does not know ranges sends it all.
  std::uint64_t skip = answer->status == 206 ? 0 : range.offset;
  if (body.size() < skip + range.length)
    co_return fail(ErrorCode::invalid_argument, "range past the end of object " + range.name);
  co_return body.slice(narrow<std::size_t>(skip), narrow<std::size_t>(range.length));
}

rt::Task<Result<ObjectInfo>> S3Store::head(std::string name) {
  WEIR_CO_TRY(check(name));
  Trip trip;
  co_return co_await travel(head_there(std::move(name), trip), trip);
}

rt::Task<Result<ObjectInfo>> S3Store::head_there(std::string name, Trip& trip) {
  Result<http::ClientResponse> answer =
      co_await connection_.send({.call = Call::head,
                                 .method = http::Method::head,
                                 .key = key_of(name),
                                 .answer_bytes_max = kAnswerBytesMax,
                                 .timeout = kRequestTimeout},
                                trip);
  if (!answer) co_return std::unexpected(answer.error());
  std::optional<std::uint64_t> size;
  if (const std::string* text = answer->header("content-length")) size = parse_size(*text);
  if (!size) co_return fail(ErrorCode::unavailable, "HeadObject of " + name + " tells no length");
  co_return ObjectInfo{std::move(name), *size, etag_of_answer(*answer)};
}

}  // namespace weir::objstore::s3
