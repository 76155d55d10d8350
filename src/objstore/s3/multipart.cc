#include "objstore/s3/multipart.h"

#include <algorithm>
#include <charconv>

#include "base/narrow.h"
#include "objstore/aws/sigv4.h"
#include "objstore/s3/limits.h"
#include "objstore/s3/object_fields.h"
#include "rt/scope.h"

namespace weir::objstore::s3 {

Duration timeout_for(std::uint64_t bytes) { return std::chrono::seconds(bytes >> 20); }

std::optional<std::uint64_t> parse_size(std::string_view text) {
  std::uint64_t size = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return size;
}

std::vector<BytesChain> cut(const BytesChain& body, std::size_t bytes) {
  std::vector<BytesChain> pieces(1);
  for (SharedBytes part : body.parts()) {
    while (!part.empty()) {
      if (pieces.back().size() == bytes) pieces.emplace_back();
      std::size_t take = std::min(part.size(), bytes - pieces.back().size());
      pieces.back().append(part.slice(0, take));
      part = part.slice(take, part.size() - take);
    }
  }
  return pieces;
}

MultipartUpload::MultipartUpload(Connection& connection, std::string key, BytesChain body,
                                 Trip& trip)
    : connection_(connection),
      key_(std::move(key)),
      bodies_(cut(body, kPartBytes)),
      trip_(trip),
      parts_(bodies_.size()) {}

rt::Task<Result<std::string>> MultipartUpload::run() {
  Result<std::string> id = co_await create();
  if (!id) co_return std::unexpected(id.error());
  id_ = std::move(*id);
  {
    rt::Scope scope(connection_.client().loop());
    for (std::size_t i = 0; i < std::min(kPartsInFlightMax, bodies_.size()); ++i)
      scope.spawn(send_parts());
    co_await scope.join();
  }
  if (!failure_) {
    co_await give_up();
    co_return std::unexpected(failure_.error());
  }
  Result<std::string> etag = co_await complete();
  // Only a completion that was certainly refused leaves an upload behind.
  if (!etag && !etag.error().is(ErrorCode::unknown_outcome) &&
      !etag.error().is(ErrorCode::timed_out))
    co_await give_up();
  co_return etag;
}

rt::Task<Result<std::string>> MultipartUpload::create() {
  Ask ask{.call = Call::create_upload,
          .method = http::Method::post,
          .key = key_,
          .query = "uploads=",
          .answer_bytes_max = kAnswerBytesMax,
          .timeout = kRequestTimeout};
  add_object_fields(ask.headers, connection_.options());
  if (connection_.options().checksum)
    ask.headers.emplace_back("x-amz-checksum-algorithm", "CRC32C");
  Result<http::ClientResponse> answer = co_await connection_.send(std::move(ask), trip_);
  if (!answer) co_return std::unexpected(answer.error());
  Result<std::string> id = parse_upload_id(answer->text());
  if (!id) co_return fail(ErrorCode::unavailable, id.error().message);
  co_return id;
}

rt::Task<void> MultipartUpload::send_parts() {
  while (failure_ && next_ < bodies_.size()) {
    std::size_t mine = next_++;
    Result<UploadedPart> part = co_await send_part(narrow<int>(mine) + 1, bodies_[mine]);
    if (part)
      parts_[mine] = std::move(*part);
    else if (failure_)
      failure_ = std::unexpected(part.error());
  }
}

rt::Task<Result<UploadedPart>> MultipartUpload::send_part(int number, BytesChain body) {
  UploadedPart part{.number = number, .etag = "", .checksum = ""};
  Ask ask{.call = Call::upload_part,
          .method = http::Method::put,
          .key = key_,
          .query = "partNumber=" + std::to_string(number) + "&uploadId=" + aws::uri_escape(id_),
          .body = std::move(body),
          .answer_bytes_max = kAnswerBytesMax,
          .timeout = kRequestTimeout};
  ask.timeout += timeout_for(ask.body.size());
  if (connection_.options().checksum) {
    part.checksum = checksum_of(ask.body);
    ask.headers.emplace_back(kChecksumField, part.checksum);
  }
  Result<http::ClientResponse> answer = co_await connection_.send(std::move(ask), trip_);
  if (!answer) {
    Error error = answer.error();
    // A part is no object yet.
    if (error.is(ErrorCode::timed_out) || error.is(ErrorCode::not_found))
      error.code = ErrorCode::unavailable;
    co_return std::unexpected(std::move(error));
  }
  const std::string* etag = answer->header("etag");
  if (!etag) co_return fail(ErrorCode::unavailable, "the store gave a part no etag");
  part.etag = bare_etag(*etag);
  co_return part;
}

rt::Task<Result<std::string>> MultipartUpload::complete() {
  Ask ask{.call = Call::complete_upload,
          .method = http::Method::post,
          .key = key_,
          .query = "uploadId=" + aws::uri_escape(id_),
          .headers = {{"content-type", "application/xml"}},
          .body = BytesChain(SharedBytes::copy_of(as_bytes(complete_request(parts_)))),
          .answer_bytes_max = kAnswerBytesMax,
          // S3 may think for minutes, and keeps the connection alive meanwhile.
          .timeout = kWholeObjectTimeout};
  Result<http::ClientResponse> answer = co_await connection_.send(std::move(ask), trip_);
  if (!answer) co_return std::unexpected(answer.error());
  Result<CompleteAnswer> completed = parse_complete(answer->text());
  if (!completed) co_return fail(ErrorCode::unknown_outcome, completed.error().message);
  if (!completed->error_code.empty())
    co_return std::unexpected(connection_.error_inside(Call::complete_upload, completed->error_code,
                                                       completed->error_message, trip_));
  co_return std::move(completed->etag);
}

rt::Task<void> MultipartUpload::give_up() {
  // Best effort: what stays is aborted after a day.
  (void)co_await connection_.send({.call = Call::abort_upload,
                                   .method = http::Method::remove,
                                   .key = key_,
                                   .query = "uploadId=" + aws::uri_escape(id_),
                                   .answer_bytes_max = kAnswerBytesMax,
                                   .timeout = kRequestTimeout},
                                  trip_);
}

rt::Task<Result<std::size_t>> abort_stale_uploads(Connection& connection, std::string key_prefix,
                                                  Trip& trip) {
  WallMillis limit(connection.client().loop().wall_now().value - kUploadStaleAfter / 1ms);
  std::size_t aborted = 0;
  UploadsAnswer page;
  do {
    std::string query = "uploads=";
    if (!key_prefix.empty()) query += "&prefix=" + aws::uri_escape(key_prefix);
    if (!page.next_key.empty()) query += "&key-marker=" + aws::uri_escape(page.next_key);
    if (!page.next_id.empty()) query += "&upload-id-marker=" + aws::uri_escape(page.next_id);
    Result<http::ClientResponse> answer =
        co_await connection.send({.call = Call::list_uploads,
                                  .key = "",
                                  .query = std::move(query),
                                  .answer_bytes_max = kAnswerBytesMax,
                                  .timeout = kRequestTimeout},
                                 trip);
    if (!answer) co_return std::unexpected(answer.error());
    Result<UploadsAnswer> next = parse_uploads(answer->text());
    if (!next) co_return std::unexpected(next.error());
    page = std::move(*next);
    for (const StaleUpload& upload : page.uploads) {
      if (!upload.begun || *upload.begun > limit || !upload.key.starts_with(key_prefix)) continue;
      Result<http::ClientResponse> gone =
          co_await connection.send({.call = Call::abort_upload,
                                    .method = http::Method::remove,
                                    .key = upload.key,
                                    .query = "uploadId=" + aws::uri_escape(upload.id),
                                    .answer_bytes_max = kAnswerBytesMax,
                                    .timeout = kRequestTimeout},
                                   trip);
      if (gone) ++aborted;
    }
  } while (!page.next_key.empty());
  co_return aborted;
}

}  // namespace weir::objstore::s3
