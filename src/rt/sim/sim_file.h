// SimFile: one open file of a simulated process.
#pragma once

#include <memory>
#include <string>

#include "rt/files.h"
#include "rt/sim/file_system.h"
#include "rt/sim/inode.h"

namespace weir::rt::sim {

class SimFile final : public File {
 public:
  SimFile(SimFileSystem& view, std::shared_ptr<SimInode> inode, std::string path, bool writable)
      : view_(view),
        inode_(std::move(inode)),
        path_(std::move(path)),
        writable_(writable),
        failed_syncs_seen_(inode_->failed_syncs()) {}
  ~SimFile() override;
  SimFile(const SimFile&) = delete;
  SimFile& operator=(const SimFile&) = delete;

  Result<std::size_t> read_at(std::uint64_t offset, MutableBytes into) override;
  Result<void> write_at(std::uint64_t offset, std::span<const Bytes> parts) override;
  Result<void> set_caching(Caching caching) override;
  Result<void> sync() override;
  Result<std::uint64_t> size() override;
  Result<void> truncate(std::uint64_t size) override;
  Result<std::uint64_t> inode() override;
  Result<bool> is_named() override;
  Result<void> lock_exclusive() override { return lock(true); }
  Result<void> lock_shared() override { return lock(false); }
  Result<bool> try_lock_exclusive() override;
  Result<void> unlock() override;

 private:
  friend class SimFileSystem;

  using Cost = SimFileSystem::Cost;
  Result<void> lock(bool exclusive);
  Result<void> check_writable() const;
  /// Of a transfer without the page cache: the kernel would refuse it, so a caller that is careless
  /// here is a bug.
  Result<void> check_direct(std::uint64_t offset, Bytes memory) const;
  void release() { inode_->unlock(this); }

  SimFileSystem& view_;
  std::shared_ptr<SimInode> inode_;
  std::string path_;
  bool writable_;
  Caching caching_ = Caching::on;
  std::uint64_t failed_syncs_seen_;
};

}  // namespace weir::rt::sim
