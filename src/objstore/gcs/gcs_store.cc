#include "objstore/gcs/gcs_store.h"

#include <algorithm>
#include <array>

#include "base/narrow.h"
#include "base/units.h"
#include "codec/crc32c.h"
#include "crypto/base64.h"
#include "http/json_fields.h"
#include "objstore/gcs/limits.h"
#include "objstore/limits.h"
#include "objstore/object_name.h"

namespace weir::objstore::gcs {
namespace {

constexpr std::string_view kBoundary = "weir-part-of-an-upload";

/// As the API writes it: big-endian, base64.
std::string checksum_text(std::uint32_t crc) {
  std::array<std::byte, 4> bytes{};
  for (std::size_t i = 0; i < 4; ++i) bytes[i] = static_cast<std::byte>(crc >> (24 - 8 * i));
  return crypto::base64_encode(bytes);
}

SharedBytes bytes_of(std::string_view text) { return SharedBytes::copy_of(as_bytes(text)); }

/// The metadata with the checksum, then the body: multipart/related. The body's length is known, so
/// what it holds cannot end it early.
BytesChain with_checksum(std::string_view key, const BytesChain& body) {
  std::string begin = "--" + std::string(kBoundary) +
                      "\r\ncontent-type: application/json; charset=UTF-8\r\n\r\n{\"name\":" +
                      http::json_quote(key) + ",\"crc32c\":\"" +
                      checksum_text(codec::crc32c(body)) + "\"}\r\n--" + std::string(kBoundary) +
                      "\r\ncontent-type: application/octet-stream\r\n\r\n";
  BytesChain out;
  out.append(bytes_of(begin));
  out.append(body);
  out.append(bytes_of("\r\n--" + std::string(kBoundary) + "--"));
  return out;
}

Duration time_for(std::uint64_t bytes) {
  std::uint64_t bounded = std::min<std::uint64_t>(bytes, kObjectBytesMax);
  return Duration(narrow<std::int64_t>(bounded * 1'000 / kBytesPerSecondMin * 1'000'000));
}

/// "crc32c=AAAAAA==,md5=…" of x-goog-hash.
std::string_view checksum_in(std::string_view hashes) {
  std::size_t at = hashes.find("crc32c=");
  if (at == std::string_view::npos) return {};
  hashes.remove_prefix(at + 7);
  return hashes.substr(0, hashes.find(','));
}

bool is_generation(std::string_view etag) {
  return !etag.empty() && etag.find_first_not_of("0123456789") == std::string_view::npos;
}

std::unexpected<Error> bad_answer(const std::string& where, std::string why) {
  return fail(ErrorCode::corrupt, where + ": " + std::move(why));
}

std::unexpected<Error> past_the_end(std::string_view name) {
  return fail(ErrorCode::invalid_argument, "range past the end of object " + std::string(name));
}

}  // namespace

GcsStore::GcsStore(Parts parts, GcsOptions options)
    : parts_(parts),
      options_(std::move(options)),
      key_prefix_(options_.prefix.empty() ? "" : options_.prefix + "/"),
      bucket_url_(options_.endpoint + "/storage/v1/b/" + escape(options_.bucket) + "/o"),
      upload_url_(options_.endpoint + "/upload/storage/v1/b/" + escape(options_.bucket) + "/o"),
      pace_(options_.same_name_gap) {}

Result<void> GcsStore::check(std::string_view name) const {
  WEIR_TRY(check_name(name));
  if (key_prefix_.size() + name.size() > kNameBytesMax)
    return fail(ErrorCode::invalid_argument, "object name and prefix have more than " +
                                                 std::to_string(kNameBytesMax) + " bytes");
  return {};
}

std::string GcsStore::object_url(std::string_view name) const {
  return bucket_url_ + "/" + escape(key_prefix_ + std::string(name));
}

template <class T>
rt::Task<Result<T>> GcsStore::travel(rt::Task<Result<T>> work, Trip& trip) {
  co_await rt::resume_on(parts_.client.loop());
  Result<T> result = co_await std::move(work);
  co_await rt::resume_on(parts_.loop);
  if (trip.throttled) parts_.pressure.throttled(trip.retry_after);
  co_return result;
}

rt::Task<Result<http::ClientResponse>> GcsStore::send(Ask ask, Trip& trip) {
  AccessToken token;
  if (parts_.tokens) {
    auto got = co_await parts_.tokens->get(parts_.client.loop().now() + kTokenWaitMax);
    if (!got) co_return with_context(std::move(got).error(), options_.describe());
    token = std::move(*got);
    ask.request.headers.emplace_back("authorization", "Bearer " + token.text.reveal());
  }
  auto answer = co_await parts_.client.send(std::move(ask.request));
  if (!answer)
    co_return with_context(without_answer(ask.verb, std::move(answer).error()),
                           options_.describe());
  if (answer->status == 200 || answer->status == 204 || answer->status == 206) co_return answer;
  Refusal refusal = refusal_of(ask.verb, *answer, options_.describe());
  if (refusal.token_refused && parts_.tokens) parts_.tokens->refused(token);
  if (refusal.token_refused && !parts_.tokens) refusal.error.code = ErrorCode::configuration;
  trip.throttled = trip.throttled || refusal.throttled;
  if (refusal.retry_after) trip.retry_after = refusal.retry_after;
  co_return std::unexpected(std::move(refusal.error));
}

rt::Task<Result<std::string>> GcsStore::put(std::string name, BytesChain body) {
  return write({.verb = Verb::put, .name = std::move(name), .body = std::move(body)});
}

rt::Task<Result<std::string>> GcsStore::put_if_absent(std::string name, BytesChain body) {
  return write({.verb = Verb::put_if_absent,
                .name = std::move(name),
                .body = std::move(body),
                .generation = "0"});
}

rt::Task<Result<std::string>> GcsStore::put_if_match(std::string name, BytesChain body,
                                                     std::string etag) {
  // What is no generation is the etag of no object.
  if (!is_generation(etag)) etag = "1";
  return write({.verb = Verb::put_if_match,
                .name = std::move(name),
                .body = std::move(body),
                .generation = std::move(etag)});
}

rt::Task<Result<std::string>> GcsStore::write(Write write) {
  WEIR_CO_TRY(check(write.name));
  if (write.body.size() > kObjectBytesMax)
    co_return fail(ErrorCode::too_large, "object of " + std::to_string(write.body.size()) +
                                             " bytes, allowed are " +
                                             std::to_string(kObjectBytesMax));
  MonoTime turn = pace_.next(write.name, parts_.loop.now());
  if (turn > parts_.loop.now()) co_await rt::sleep_until(parts_.loop, turn);
  Trip trip;
  co_return co_await travel(write_there(std::move(write), trip), trip);
}

rt::Task<Result<std::string>> GcsStore::write_there(Write write, Trip& trip) {
  Ask ask{.verb = write.verb, .request = {}};
  ask.request.method = http::Method::post;
  std::string key = key_prefix_ + write.name;
  ask.request.url = upload_url_ + "?uploadType=multipart&fields=generation&name=" + escape(key);
  if (!write.generation.empty()) ask.request.url += "&ifGenerationMatch=" + write.generation;
  ask.request.headers = {{"content-type", "multipart/related; boundary=" + std::string(kBoundary)}};
  ask.request.body = with_checksum(key, write.body);
  ask.request.response_bytes_max = kAnswerBytesMax;
  ask.request.timeout = options_.request_timeout + time_for(write.body.size());
  auto answer = co_await send(std::move(ask), trip);
  if (!answer) co_return std::unexpected(std::move(answer).error());
  auto fields = http::JsonFields::parse(answer->text());
  // It is stored, but what the caller needs to know about it is lost.
  if (!fields || !is_generation(fields->text("generation")))
    co_return fail(ErrorCode::unknown_outcome,
                   options_.describe() + ": the answer to an upload has no generation");
  co_return std::string(fields->text("generation"));
}

rt::Task<Result<SharedBytes>> GcsStore::get(std::string name) {
  WEIR_CO_TRY(check(name));
  Trip trip;
  co_return co_await travel(get_there(std::move(name), trip), trip);
}

rt::Task<Result<SharedBytes>> GcsStore::get_there(std::string name, Trip& trip) {
  Ask ask{.verb = Verb::get, .request = {}};
  ask.request.url = object_url(name) + "?alt=media";
  ask.request.response_bytes_max = kObjectBytesMax;
  ask.request.timeout = options_.request_timeout + time_for(kObjectBytesMax / 16);
  auto answer = co_await send(std::move(ask), trip);
  if (!answer) co_return std::unexpected(std::move(answer).error());
  const std::string* hashes = answer->header("x-goog-hash");
  std::string_view checksum = hashes ? checksum_in(*hashes) : std::string_view();
  if (!checksum.empty() && checksum != checksum_text(codec::crc32c(answer->body.view())))
    co_return bad_answer(options_.describe(), "object " + name + " does not have its checksum");
  co_return std::move(answer->body);
}

rt::Task<Result<SharedBytes>> GcsStore::get_range(std::string name, std::uint64_t offset,
                                                  std::uint64_t length) {
  WEIR_CO_TRY(check(name));
  if (length > kObjectBytesMax || offset > kObjectBytesMax) co_return past_the_end(name);
  Trip trip;
  if (length > 0)
    co_return co_await travel(range_there(std::move(name), offset, length, trip), trip);
  // There is no way to ask for nothing.
  auto info = co_await travel(head_there(name, trip), trip);
  if (!info) co_return std::unexpected(std::move(info).error());
  if (offset > info->size) co_return past_the_end(name);
  co_return SharedBytes();
}

rt::Task<Result<SharedBytes>> GcsStore::range_there(std::string name, std::uint64_t offset,
                                                    std::uint64_t length, Trip& trip) {
  Ask ask{.verb = Verb::get_range, .request = {}};
  ask.request.url = object_url(name) + "?alt=media";
  ask.request.headers = {
      {"range", "bytes=" + std::to_string(offset) + "-" + std::to_string(offset + length - 1)}};
  ask.request.response_bytes_max = narrow<std::size_t>(length) + kAnswerBytesMax;
  ask.request.timeout = options_.request_timeout + time_for(length);
  auto answer = co_await send(std::move(ask), trip);
  if (!answer) co_return std::unexpected(std::move(answer).error());
  // 200: the whole object, from something between us and the store that knows no ranges.
  if (answer->status == 200 && offset == 0 && answer->body.size() > length)
    co_return answer->body.slice(0, narrow<std::size_t>(length));
  if (answer->body.size() < length) co_return past_the_end(name);
  if (answer->body.size() > length)
    co_return bad_answer(options_.describe(), "more than the range of object " + name);
  co_return std::move(answer->body);
}

rt::Task<Result<ObjectInfo>> GcsStore::head(std::string name) {
  WEIR_CO_TRY(check(name));
  Trip trip;
  co_return co_await travel(head_there(std::move(name), trip), trip);
}

rt::Task<Result<ObjectInfo>> GcsStore::head_there(std::string name, Trip& trip) {
  Ask ask{.verb = Verb::head, .request = {}};
  ask.request.url = object_url(name) + "?fields=size,generation";
  ask.request.response_bytes_max = kAnswerBytesMax;
  ask.request.timeout = options_.request_timeout;
  auto answer = co_await send(std::move(ask), trip);
  if (!answer) co_return std::unexpected(std::move(answer).error());
  auto fields = http::JsonFields::parse(answer->text());
  auto size = parse_integer(fields ? fields->text("size") : std::string_view());
  if (!size || *size < 0 || !is_generation(fields->text("generation")))
    co_return bad_answer(options_.describe(), "the properties of object " + name + " lack a size");
  co_return ObjectInfo{.name = std::move(name),
                       .size = narrow<std::uint64_t>(*size),
                       .etag = std::string(fields->text("generation"))};
}

rt::Task<Result<ObjectStore::Page>> GcsStore::list(std::string prefix, std::string continuation) {
  Trip trip;
  co_return co_await travel(list_there(std::move(prefix), std::move(continuation), trip), trip);
}

rt::Task<Result<ObjectStore::Page>> GcsStore::list_there(std::string prefix,
                                                         std::string continuation, Trip& trip) {
  Ask ask{.verb = Verb::list, .request = {}};
  ask.request.url =
      bucket_url_ + "?maxResults=" + std::to_string(kListPageObjectsMax) +
      "&fields=nextPageToken,items(name,size,generation)&prefix=" + escape(key_prefix_ + prefix);
  if (!continuation.empty()) ask.request.url += "&pageToken=" + escape(continuation);
  ask.request.response_bytes_max = kAnswerBytesMax;
  ask.request.timeout = options_.request_timeout;
  auto answer = co_await send(std::move(ask), trip);
  if (!answer) co_return std::unexpected(std::move(answer).error());
  auto fields = http::JsonFields::parse(answer->text());
  if (!fields) co_return bad_answer(options_.describe(), "listing: " + fields.error().message);
  Page page;
  page.next = fields->text("nextPageToken");
  for (std::size_t i = 0;; ++i) {
    std::string item = "items." + std::to_string(i) + ".";
    if (!fields->has(item + "name")) break;
    std::string_view key = fields->text(item + "name");
    if (!key.starts_with(key_prefix_)) continue;
    std::string name(key.substr(key_prefix_.size()));
    if (!check(name)) continue;
    auto size = parse_integer(fields->text(item + "size"));
    if (!size || *size < 0)
      co_return bad_answer(options_.describe(), "listing: no size of " + name);
    page.objects.push_back({.name = std::move(name),
                            .size = narrow<std::uint64_t>(*size),
                            .etag = std::string(fields->text(item + "generation"))});
  }
  co_return page;
}

rt::Task<Result<ObjectStore::RemoveFailures>> GcsStore::remove(std::vector<std::string> names) {
  Trip trip;
  co_return co_await travel(remove_there(std::move(names), trip), trip);
}

rt::Task<Result<ObjectStore::RemoveFailures>> GcsStore::remove_there(std::vector<std::string> names,
                                                                     Trip& trip) {
  RemoveFailures failures;
  std::erase_if(names, [&](const std::string& name) {
    auto checked = check(name);
    if (!checked) failures.emplace_back(name, checked.error());
    return !checked;
  });
  rt::Scope scope(parts_.client.loop());
  std::size_t workers = std::min(names.size(), kRemovesInFlight);
  for (std::size_t i = 0; i < workers; ++i) scope.spawn(remove_some(names, failures, trip));
  co_await scope.join();
  co_return failures;
}

rt::Task<void> GcsStore::remove_some(std::vector<std::string>& names, RemoveFailures& failures,
                                     Trip& trip) {
  while (!names.empty()) {
    std::string name = std::move(names.back());
    names.pop_back();
    auto removed = co_await remove_one(name, trip);
    if (!removed) failures.emplace_back(std::move(name), std::move(removed).error());
  }
}

rt::Task<Result<void>> GcsStore::remove_one(const std::string& name, Trip& trip) {
  Ask ask{.verb = Verb::remove, .request = {}};
  ask.request.method = http::Method::remove;
  ask.request.url = object_url(name);
  ask.request.response_bytes_max = kAnswerBytesMax;
  ask.request.timeout = options_.request_timeout;
  auto answer = co_await send(std::move(ask), trip);
  if (answer || answer.error().is(ErrorCode::not_found)) co_return Result<void>();
  co_return std::unexpected(std::move(answer).error());
}

}  // namespace weir::objstore::gcs
