#include "objstore/file/file_store.h"

#include <algorithm>

#include "objstore/limits.h"

namespace weir::objstore {

rt::Task<Result<std::string>> FileStore::put(std::string name, BytesChain body) {
  co_return co_await rt::run_blocking(loop_, workers_, [&] { return tree_.put(name, body); });
}

rt::Task<Result<std::string>> FileStore::put_if_absent(std::string name, BytesChain body) {
  co_return co_await rt::run_blocking(loop_, workers_,
                                      [&] { return tree_.put_if_absent(name, body); });
}

rt::Task<Result<std::string>> FileStore::put_if_match(std::string name, BytesChain body,
                                                      std::string etag) {
  MonoTime deadline = loop_.now() + kFileLockWaitMax;
  for (Duration pause = kFileLockPauseFirst;; pause = std::min(pause * 2, kFileLockPauseMax)) {
    Result<std::optional<std::string>> done = co_await rt::run_blocking(
        loop_, workers_, [&] { return tree_.try_put_if_match(name, body, etag); });
    if (!done) co_return std::unexpected(std::move(done).error());
    if (done->has_value()) co_return std::move(**done);
    if (loop_.now() >= deadline)
      co_return fail(ErrorCode::unavailable, describe() + " stays locked by another process");
    co_await rt::sleep_for(loop_, pause);
  }
}

rt::Task<Result<SharedBytes>> FileStore::get(std::string name) {
  co_return co_await rt::run_blocking(loop_, workers_, [&] { return tree_.get(name); });
}

rt::Task<Result<SharedBytes>> FileStore::get_range(std::string name, std::uint64_t offset,
                                                   std::uint64_t length) {
  co_return co_await rt::run_blocking(loop_, workers_,
                                      [&] { return tree_.get_range(name, offset, length); });
}

rt::Task<Result<ObjectInfo>> FileStore::head(std::string name) {
  co_return co_await rt::run_blocking(loop_, workers_, [&] { return tree_.head(name); });
}

rt::Task<Result<ObjectStore::Page>> FileStore::list(std::string prefix, std::string continuation) {
  co_return co_await rt::run_blocking(loop_, workers_,
                                      [&] { return tree_.list(prefix, continuation); });
}

rt::Task<Result<ObjectStore::RemoveFailures>> FileStore::remove(std::vector<std::string> names) {
  co_return co_await rt::run_blocking(loop_, workers_,
                                      [&] { return Result<RemoveFailures>(tree_.remove(names)); });
}

std::string FileStore::describe() const {
  return "file://" + tree_.options().root + (tree_.options().sync ? "" : "?sync=none");
}

}  // namespace weir::objstore
