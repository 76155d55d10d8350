// The verbs of S3Store that concern many objects: list, remove, what a start and a cleaner need.
#include <algorithm>

#include "objstore/aws/sigv4.h"
#include "objstore/object_name.h"
#include "objstore/s3/answers.h"
#include "objstore/s3/limits.h"
#include "objstore/s3/multipart.h"
#include "objstore/s3/object_fields.h"
#include "objstore/s3/s3_store.h"

namespace weir::objstore::s3 {

rt::Task<Result<ObjectStore::Page>> S3Store::list(std::string prefix, std::string continuation) {
  return list_in({.prefix = std::move(prefix),
                  .continuation = std::move(continuation),
                  .timeout = kRequestTimeout});
}

rt::Task<Result<ObjectStore::Page>> S3Store::list_in(Listing listing) {
  Trip trip;
  co_return co_await travel(list_there(std::move(listing), trip), trip);
}

rt::Task<Result<ObjectStore::Page>> S3Store::list_there(Listing listing, Trip& trip) {
  std::string wanted = key_of(listing.prefix);
  std::string asked = wanted;
  // A directory bucket lists whole directories only; the rest is left out here.
  if (options_.is_directory_bucket()) asked.resize(asked.rfind('/') + 1);
  std::string query = "list-type=2&max-keys=" + std::to_string(kListPageObjectsMax);
  if (!asked.empty()) query += "&prefix=" + aws::uri_escape(asked);
  if (!listing.continuation.empty())
    query += "&continuation-token=" + aws::uri_escape(listing.continuation);
  Result<http::ClientResponse> answer =
      co_await connection_.send({.call = Call::list,
                                 .key = "",
                                 .query = std::move(query),
                                 .answer_bytes_max = kAnswerBytesMax,
                                 .timeout = listing.timeout},
                                trip);
  if (!answer) co_return std::unexpected(answer.error());
  Result<ListAnswer> listed = parse_list(answer->text());
  // Nothing is wrong with any object; the next answer may be better.
  if (!listed)
    co_return fail(ErrorCode::unavailable, "ListObjectsV2 on " + describe() + ": " +
                                               listed.error().message +
                                               "; check that the endpoint is an S3 server");
  Page page;
  for (ListedObject& object : listed->objects) {
    if (!object.key.starts_with(wanted)) continue;
    std::string name = object.key.substr(key_prefix_.size());
    if (!check_name(name)) continue;
    page.objects.push_back({std::move(name), object.size, std::move(object.etag)});
  }
  page.next = std::move(listed->next);
  co_return page;
}

rt::Task<Result<ObjectStore::RemoveFailures>> S3Store::remove(std::vector<std::string> names) {
  if (names.empty()) co_return RemoveFailures{};
  Trip trip;
  co_return co_await travel(remove_there(std::move(names), trip), trip);
}

rt::Task<Result<ObjectStore::RemoveFailures>> S3Store::remove_there(std::vector<std::string> names,
                                                                    Trip& trip) {
  RemoveFailures failures;
  std::vector<std::string> keys;
  for (std::string& name : names) {
    if (Result<void> good = check(name); !good) {
      failures.emplace_back(std::move(name), good.error());
      continue;
    }
    keys.push_back(key_of(name));
    if (keys.size() < kRemoveNamesPerCallMax) continue;
    WEIR_CO_TRY(co_await remove_some(std::exchange(keys, {}), failures, trip));
  }
  if (!keys.empty()) WEIR_CO_TRY(co_await remove_some(std::move(keys), failures, trip));
  co_return failures;
}

rt::Task<Result<void>> S3Store::remove_some(std::vector<std::string> keys, RemoveFailures& failures,
                                            Trip& trip) {
  Ask ask{.call = Call::remove,
          .method = http::Method::post,
          .key = "",
          .query = "delete=",
          .headers = {{"content-type", "application/xml"}},
          .body = BytesChain(SharedBytes::copy_of(as_bytes(delete_request(keys)))),
          .answer_bytes_max = kAnswerBytesMax,
          .timeout = kRequestTimeout};
  // Here S3 insists on a checksum.
  ask.headers.emplace_back(kChecksumField, checksum_of(ask.body));
  Result<http::ClientResponse> answer = co_await connection_.send(std::move(ask), trip);
  if (!answer) co_return std::unexpected(answer.error());
  auto failed = parse_delete(answer->text());
  if (!failed) co_return fail(ErrorCode::unknown_outcome, failed.error().message);
  for (const DeleteFailure& failure : *failed) {
    if (failure.code == "NoSuchKey" || !failure.key.starts_with(key_prefix_)) continue;
    failures.emplace_back(
        failure.key.substr(key_prefix_.size()),
        connection_.error_inside(Call::remove, failure.code, failure.message, trip));
  }
  co_return Result<void>{};
}

rt::Task<Result<void>> S3Store::reach(MonoTime deadline) {
  for (;;) {
    Result<Page> page =
        co_await list_in({.prefix = "", .continuation = "", .timeout = kReachTimeout});
    if (page) co_return Result<void>{};
    bool passing = page.error().is(ErrorCode::unavailable) || page.error().is(ErrorCode::timed_out);
    if (!passing || loop_.now() + kReachPause >= deadline) co_return std::unexpected(page.error());
    co_await rt::sleep_for(loop_, kReachPause);
  }
}

rt::Task<Result<std::size_t>> S3Store::abort_stale_uploads() {
  Trip trip;
  co_return co_await travel(s3::abort_stale_uploads(connection_, key_prefix_, trip), trip);
}

}  // namespace weir::objstore::s3
