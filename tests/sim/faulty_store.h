// FaultyStore, FaultyLog: the shared store and log as one broker reaches them, through the weather.
// The inner ones must never suspend (memory). Made once per broker process.
#pragma once

#include "commitlog/commit_log.h"
#include "objstore/object_store.h"
#include "tests/sim/remote.h"

namespace weir::sim {

class FaultyStore final : public objstore::ObjectStore {
 public:
  FaultyStore(objstore::ObjectStore& inner, rt::sim::SimNode& node, const Weather& weather)
      : inner_(inner), remote_(node, weather) {}

  rt::Task<Result<std::string>> put(std::string name, BytesChain body) override;
  rt::Task<Result<std::string>> put_if_absent(std::string name, BytesChain body) override;
  rt::Task<Result<std::string>> put_if_match(std::string name, BytesChain body,
                                             std::string etag) override;
  rt::Task<Result<SharedBytes>> get(std::string name) override;
  rt::Task<Result<SharedBytes>> get_range(std::string name, std::uint64_t offset,
                                          std::uint64_t length) override;
  rt::Task<Result<objstore::ObjectInfo>> head(std::string name) override;
  rt::Task<Result<Page>> list(std::string prefix, std::string continuation) override;
  rt::Task<Result<RemoveFailures>> remove(std::vector<std::string> names) override;
  std::string describe() const override { return inner_.describe(); }

 private:
  objstore::ObjectStore& inner_;
  Remote remote_;
};

class FaultyLog final : public commitlog::CommitLog {
 public:
  FaultyLog(commitlog::CommitLog& inner, rt::sim::SimNode& node, const Weather& weather)
      : inner_(inner), remote_(node, weather) {}

  rt::Task<Result<commitlog::CreateOutcome>> create(Position at, BytesChain entry) override;
  rt::Task<Result<std::optional<SharedBytes>>> read(Position at) override;
  rt::Task<Result<Position>> read_floor() override;
  rt::Task<Result<void>> raise_floor(Position to) override;
  rt::Task<Result<void>> remove(Position first, Position last) override;
  std::size_t item_bytes_max() const override { return inner_.item_bytes_max(); }
  bool guards_floor() const override { return inner_.guards_floor(); }
  std::string describe() const override { return inner_.describe(); }
  rt::Task<Result<std::vector<SharedBytes>>> read_many(Position from, std::size_t count,
                                                       std::size_t bytes_max) override;

 private:
  commitlog::CommitLog& inner_;
  Remote remote_;
};

}  // namespace weir::sim
