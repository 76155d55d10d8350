#include "objstore/memory_store.h"

#include <cstring>

#include "base/narrow.h"
#include "objstore/etag.h"
#include "objstore/limits.h"
#include "objstore/object_name.h"

namespace weir::objstore {
namespace {

/// A copy even of a single part: the caller may change its memory once the task has ended.
SharedBytes copy_chain(const BytesChain& chain) {
  Buffer copy = Buffer::make(chain.size());
  MutableBytes rest = copy.data();
  for (const SharedBytes& part : chain.parts()) {
    std::memcpy(rest.data(), part.view().data(), part.size());
    rest = rest.subspan(part.size());
  }
  return copy;
}

}  // namespace

Result<std::string> MemoryStore::store(const std::string& name, const BytesChain& body, Guard guard,
                                       const std::string& etag) {
  WEIR_TRY(check_name(name));
  if (body.size() > kObjectBytesMax)
    return fail(ErrorCode::too_large, "object " + name + " is too large");
  Object object{copy_chain(body), etag_of(body)};
  std::string made = object.etag;

  std::scoped_lock lock(mutex_);
  auto found = objects_.find(name);
  if (guard == Guard::absent && found != objects_.end())
    return fail(ErrorCode::already_exists, "object " + name + " exists");
  if (guard == Guard::match && (found == objects_.end() || found->second.etag != etag))
    return fail(ErrorCode::precondition, "object " + name + " is not the version that was named");
  std::uint64_t freed = found == objects_.end() ? 0 : found->second.body.size();
  if (bytes_ - freed + body.size() > options_.bytes_max)
    return fail(ErrorCode::out_of_space, "memory store is full");
  bytes_ = bytes_ - freed + body.size();
  objects_.insert_or_assign(name, std::move(object));
  return made;
}

Result<MemoryStore::Object> MemoryStore::find(const std::string& name) const {
  WEIR_TRY(check_name(name));
  std::scoped_lock lock(mutex_);
  auto found = objects_.find(name);
  if (found == objects_.end()) return fail(ErrorCode::not_found, "no object " + name);
  return found->second;
}

rt::Task<Result<std::string>> MemoryStore::put(std::string name, BytesChain body) {
  co_return store(name, body, Guard::none, {});
}

rt::Task<Result<std::string>> MemoryStore::put_if_absent(std::string name, BytesChain body) {
  co_return store(name, body, Guard::absent, {});
}

rt::Task<Result<std::string>> MemoryStore::put_if_match(std::string name, BytesChain body,
                                                        std::string etag) {
  co_return store(name, body, Guard::match, etag);
}

rt::Task<Result<SharedBytes>> MemoryStore::get(std::string name) {
  Result<Object> object = find(name);
  if (!object) co_return std::unexpected(std::move(object).error());
  co_return std::move(object->body);
}

rt::Task<Result<SharedBytes>> MemoryStore::get_range(std::string name, std::uint64_t offset,
                                                     std::uint64_t length) {
  Result<Object> object = find(name);
  if (!object) co_return std::unexpected(std::move(object).error());
  std::uint64_t size = object->body.size();
  if (offset > size || length > size - offset)
    co_return fail(ErrorCode::invalid_argument, "range past the end of object " + name);
  co_return object->body.slice(narrow<std::size_t>(offset), narrow<std::size_t>(length));
}

rt::Task<Result<ObjectInfo>> MemoryStore::head(std::string name) {
  Result<Object> object = find(name);
  if (!object) co_return std::unexpected(std::move(object).error());
  co_return ObjectInfo{name, object->body.size(), object->etag};
}

rt::Task<Result<ObjectStore::Page>> MemoryStore::list(std::string prefix,
                                                      std::string continuation) {
  Page page;
  std::scoped_lock lock(mutex_);
  auto at =
      continuation.empty() ? objects_.lower_bound(prefix) : objects_.upper_bound(continuation);
  for (; at != objects_.end() && at->first.starts_with(prefix); ++at) {
    if (page.objects.size() == options_.page_objects_max) {
      page.next = page.objects.back().name;
      break;
    }
    page.objects.push_back({at->first, at->second.body.size(), at->second.etag});
  }
  co_return page;
}

rt::Task<Result<ObjectStore::RemoveFailures>> MemoryStore::remove(std::vector<std::string> names) {
  RemoveFailures failures;
  std::scoped_lock lock(mutex_);
  for (const std::string& name : names) {
    if (Result<void> valid = check_name(name); !valid) {
      failures.emplace_back(name, valid.error());
      continue;
    }
    auto found = objects_.find(name);
    if (found == objects_.end()) continue;
    bytes_ -= found->second.body.size();
    objects_.erase(found);
  }
  co_return failures;
}

}  // namespace weir::objstore
