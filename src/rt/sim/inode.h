// SimInode: the bytes of one simulated file, twice: as processes see them, and as they would be
// found after a power loss.
//
// Only `sync` moves bytes from the one to the other. When power is lost, each sector that was
// written since may have reached the disk or not, and so may a new size.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "rt/random.h"

namespace weir::rt::sim {

class SimInode {
 public:
  explicit SimInode(std::uint64_t number) : number_(number) {}

  std::uint64_t number() const { return number_; }
  std::uint64_t size() const { return data_.size(); }
  std::size_t read(std::uint64_t offset, MutableBytes into) const;
  void write(std::uint64_t offset, Bytes bytes);
  void resize(std::uint64_t size);

  void sync();
  /// A failed fsync: the kernel forgets that some pages were dirty, so that no later sync writes
  /// them.
  void fail_sync(Random& random);
  /// Failed syncs so far. Every open file learns of each once (Linux 4.13, errseq).
  std::uint64_t failed_syncs() const { return failed_syncs_; }
  void lose_power(Random& random);

  /// flock. Holders are told apart by address.
  bool try_lock(const void* holder, bool exclusive);
  void unlock(const void* holder);
  void unlock_all() { locks_.clear(); }

 private:
  struct Lock {
    const void* holder;
    bool exclusive;
  };
  void mark_dirty(std::uint64_t from, std::uint64_t to);

  std::uint64_t number_;
  std::uint64_t failed_syncs_ = 0;
  std::vector<std::byte> data_;
  std::vector<std::byte> durable_;
  /// By sector, over the larger of both.
  std::vector<bool> dirty_;
  std::vector<Lock> locks_;
};

}  // namespace weir::rt::sim
