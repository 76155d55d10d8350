#include "tests/sim/faulty_store.h"

namespace weir::sim {

namespace {

/// What travels is a copy: the caller's memory may change (batches are stamped) or go.
SharedBytes copy_of(const BytesChain& body) { return SharedBytes::copy_of(body.flatten().view()); }

}  // namespace

rt::Task<Result<std::string>> FaultyStore::put(std::string name, BytesChain body) {
  return remote_.perform<std::string>(
      true, [&store = inner_, name = std::move(name), sent = copy_of(body)] {
        return complete(store.put(name, sent));
      });
}

rt::Task<Result<std::string>> FaultyStore::put_if_absent(std::string name, BytesChain body) {
  return remote_.perform<std::string>(
      true, [&store = inner_, name = std::move(name), sent = copy_of(body)] {
        return complete(store.put_if_absent(name, sent));
      });
}

rt::Task<Result<std::string>> FaultyStore::put_if_match(std::string name, BytesChain body,
                                                        std::string etag) {
  return remote_.perform<std::string>(
      true, [&store = inner_, name = std::move(name), sent = copy_of(body),
             etag = std::move(etag)] { return complete(store.put_if_match(name, sent, etag)); });
}

// What is read is a copy, too: brokers stamp what they have read.
rt::Task<Result<SharedBytes>> FaultyStore::get(std::string name) {
  return remote_.perform<SharedBytes>(
      false, [&store = inner_, name = std::move(name)]() -> Result<SharedBytes> {
        auto got = complete(store.get(name));
        if (!got) return got;
        return SharedBytes::copy_of(got->view());
      });
}

rt::Task<Result<SharedBytes>> FaultyStore::get_range(std::string name, std::uint64_t offset,
                                                     std::uint64_t length) {
  return remote_.perform<SharedBytes>(
      false, [&store = inner_, name = std::move(name), offset, length]() -> Result<SharedBytes> {
        auto got = complete(store.get_range(name, offset, length));
        if (!got) return got;
        return SharedBytes::copy_of(got->view());
      });
}

rt::Task<Result<objstore::ObjectInfo>> FaultyStore::head(std::string name) {
  return remote_.perform<objstore::ObjectInfo>(
      false, [&store = inner_, name = std::move(name)] { return complete(store.head(name)); });
}

rt::Task<Result<objstore::ObjectStore::Page>> FaultyStore::list(std::string prefix,
                                                                std::string continuation) {
  return remote_.perform<Page>(
      false, [&store = inner_, prefix = std::move(prefix), from = std::move(continuation)] {
        return complete(store.list(prefix, from));
      });
}

rt::Task<Result<objstore::ObjectStore::RemoveFailures>> FaultyStore::remove(
    std::vector<std::string> names) {
  // In bad weather some keys fail inside of a good answer.
  RemoveFailures refused;
  std::vector<std::string> tried;
  for (std::string& name : names) {
    if (remote_.refuses_key())
      refused.emplace_back(std::move(name), Error{ErrorCode::unavailable, "internal error"});
    else
      tried.push_back(std::move(name));
  }
  return remote_.perform<RemoveFailures>(
      true,
      [&store = inner_, tried = std::move(tried),
       refused = std::move(refused)]() -> Result<RemoveFailures> {
        auto failures = complete(store.remove(tried));
        if (failures) failures->insert(failures->end(), refused.begin(), refused.end());
        return failures;
      });
}

rt::Task<Result<commitlog::CreateOutcome>> FaultyLog::create(Position at, BytesChain entry) {
  auto answer = co_await remote_.perform<commitlog::CreateOutcome>(
      true, [&log = inner_, at, sent = copy_of(entry)] { return complete(log.create(at, sent)); });
  if (!answer && answer.error().is(ErrorCode::unknown_outcome))
    co_return commitlog::CreateOutcome::unknown;
  co_return answer;
}

rt::Task<Result<std::optional<SharedBytes>>> FaultyLog::read(Position at) {
  return remote_.perform<std::optional<SharedBytes>>(
      false, [&log = inner_, at]() -> Result<std::optional<SharedBytes>> {
        auto got = complete(log.read(at));
        if (!got || !*got) return got;
        return SharedBytes::copy_of((*got)->view());
      });
}

rt::Task<Result<Position>> FaultyLog::read_floor() {
  return remote_.perform<Position>(false, [&log = inner_] { return complete(log.read_floor()); });
}

rt::Task<Result<void>> FaultyLog::raise_floor(Position to) {
  return remote_.perform<void>(true, [&log = inner_, to] { return complete(log.raise_floor(to)); });
}

rt::Task<Result<void>> FaultyLog::remove(Position first, Position last) {
  return remote_.perform<void>(
      true, [&log = inner_, first, last] { return complete(log.remove(first, last)); });
}

rt::Task<Result<std::vector<SharedBytes>>> FaultyLog::read_many(Position from, std::size_t count,
                                                                std::size_t bytes_max) {
  return remote_.perform<std::vector<SharedBytes>>(
      false, [&log = inner_, from, count, bytes_max]() -> Result<std::vector<SharedBytes>> {
        auto got = complete(log.read_many(from, count, bytes_max));
        if (!got) return got;
        for (SharedBytes& entry : *got) entry = SharedBytes::copy_of(entry.view());
        return got;
      });
}

}  // namespace weir::sim
