// FileStore: a directory as an object store (`file:///path`), for one loop.
//
// All file calls of one operation run in one hop to the workers. A FileTree may serve several
// FileStores, one per loop; loop, workers and tree outlive the store. Tasks start and end on the
// loop.
#pragma once

#include "objstore/file/file_tree.h"
#include "objstore/object_store.h"
#include "rt/loop.h"
#include "rt/workers.h"

namespace weir::objstore {

class FileStore final : public ObjectStore {
 public:
  FileStore(rt::Loop& loop, rt::Workers& workers, FileTree& tree)
      : loop_(loop), workers_(workers), tree_(tree) {}

  rt::Task<Result<std::string>> put(std::string name, BytesChain body) override;
  rt::Task<Result<std::string>> put_if_absent(std::string name, BytesChain body) override;
  /// Answers `unavailable` if the directory stays locked for kFileLockWaitMax.
  rt::Task<Result<std::string>> put_if_match(std::string name, BytesChain body,
                                             std::string etag) override;
  rt::Task<Result<SharedBytes>> get(std::string name) override;
  rt::Task<Result<SharedBytes>> get_range(std::string name, std::uint64_t offset,
                                          std::uint64_t length) override;
  rt::Task<Result<ObjectInfo>> head(std::string name) override;
  rt::Task<Result<Page>> list(std::string prefix, std::string continuation) override;
  rt::Task<Result<RemoveFailures>> remove(std::vector<std::string> names) override;
  std::string describe() const override;

 private:
  rt::Loop& loop_;
  rt::Workers& workers_;
  FileTree& tree_;
};

}  // namespace weir::objstore
