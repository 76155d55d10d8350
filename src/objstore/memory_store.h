// MemoryStore: objects in memory, for tests, simulation and throw-away brokers (`memory://`).
//
// Behaves as S3 does: etags are content hashes, listings come in pages. Thread-safe; tasks never
// suspend, so it needs no loop and several brokers may share one.
#pragma once

#include <map>
#include <mutex>

#include "objstore/object_store.h"

namespace weir::objstore {

struct MemoryStoreOptions {
  /// Beyond this sum a put answers out_of_space.
  std::uint64_t bytes_max = std::uint64_t{1} << 40;
  std::size_t page_objects_max = 1'000;
};

class MemoryStore final : public ObjectStore {
 public:
  explicit MemoryStore(MemoryStoreOptions options = {}) : options_(options) {}

  rt::Task<Result<std::string>> put(std::string name, BytesChain body) override;
  rt::Task<Result<std::string>> put_if_absent(std::string name, BytesChain body) override;
  rt::Task<Result<std::string>> put_if_match(std::string name, BytesChain body,
                                             std::string etag) override;
  rt::Task<Result<SharedBytes>> get(std::string name) override;
  rt::Task<Result<SharedBytes>> get_range(std::string name, std::uint64_t offset,
                                          std::uint64_t length) override;
  rt::Task<Result<ObjectInfo>> head(std::string name) override;
  rt::Task<Result<Page>> list(std::string prefix, std::string continuation) override;
  rt::Task<Result<RemoveFailures>> remove(std::vector<std::string> names) override;
  std::string describe() const override { return "memory://"; }

 private:
  struct Object {
    SharedBytes body;
    std::string etag;
  };
  enum class Guard : unsigned char { none, absent, match };
  Result<std::string> store(const std::string& name, const BytesChain& body, Guard guard,
                            const std::string& etag);
  Result<Object> find(const std::string& name) const;

  MemoryStoreOptions options_;
  mutable std::mutex mutex_;
  std::map<std::string, Object, std::less<>> objects_;
  std::uint64_t bytes_ = 0;
};

}  // namespace weir::objstore
