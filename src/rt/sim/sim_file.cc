#include "rt/sim/sim_file.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace weir::rt::sim {

SimFile::~SimFile() {
  release();
  view_.open_files_.erase(this);
}

Result<void> SimFile::check_writable() const {
  if (writable_) return {};
  return fail(ErrorCode::internal, "write " + path_ + ": opened for reading only");
}

Result<void> SimFile::set_caching(Caching caching) {
  WEIR_TRY(view_.enter(Cost::quick, "set flags", path_));
  if (caching == Caching::off && view_.disk().direct() == SimDisk::Direct::never)
    return fail(ErrorCode::unsupported, "turn caching off for " + path_ + ": not supported");
  caching_ = caching;
  return {};
}

Result<void> SimFile::check_direct(std::uint64_t offset, Bytes memory) const {
  if (caching_ == Caching::on) return {};
  ENSURE(offset % kDirectBlockBytes == 0);
  ENSURE(memory.size() % kDirectBlockBytes == 0);
  ENSURE(std::bit_cast<std::uintptr_t>(memory.data()) % kDirectBlockBytes == 0);
  if (view_.disk().direct() == SimDisk::Direct::works) return {};
  return fail(ErrorCode::unsupported, "direct transfer " + path_ + ": not supported");
}

Result<std::size_t> SimFile::read_at(std::uint64_t offset, MutableBytes into) {
  WEIR_TRY(view_.enter(Cost::quick, "read", path_));
  WEIR_TRY(check_direct(offset, into));
  return inode_->read(offset, into);
}

Result<void> SimFile::write_at(std::uint64_t offset, std::span<const Bytes> parts) {
  WEIR_TRY(view_.enter(Cost::quick, "write", path_));
  WEIR_TRY(check_writable());
  for (Bytes part : parts) {
    WEIR_TRY(check_direct(offset, part));
    std::uint64_t end = offset + part.size();
    std::uint64_t grows = end > inode_->size() ? end - inode_->size() : 0;
    std::uint64_t room = view_.disk().free_bytes();
    if (grows > room) {
      // As much as fits, but not always all of that: callers must not count on either.
      std::uint64_t inside = part.size() > grows ? part.size() - grows : 0;
      std::uint64_t fits = inside + view_.disk().random().below(room + 1);
      inode_->write(offset, part.first(std::min<std::uint64_t>(fits, part.size())));
      return fail(ErrorCode::out_of_space, "write " + path_ + ": no space left on device");
    }
    inode_->write(offset, part);
    offset = end;
  }
  return {};
}

Result<void> SimFile::sync() {
  auto entered = view_.enter(Cost::sync, "sync", path_);
  if (!entered && entered.error().is(ErrorCode::unavailable)) {
    inode_->fail_sync(view_.disk().random());
    failed_syncs_seen_ = inode_->failed_syncs();
  }
  WEIR_TRY(std::move(entered));
  inode_->sync();
  // A failure that another open file was told of concerns what was written through this one, too.
  if (std::exchange(failed_syncs_seen_, inode_->failed_syncs()) != inode_->failed_syncs())
    return fail(ErrorCode::unavailable, "sync " + path_ + ": input/output error");
  return {};
}

Result<std::uint64_t> SimFile::size() {
  WEIR_TRY(view_.enter(Cost::quick, "stat", path_));
  return inode_->size();
}

Result<void> SimFile::truncate(std::uint64_t size) {
  WEIR_TRY(view_.enter(Cost::quick, "truncate", path_));
  WEIR_TRY(check_writable());
  inode_->resize(size);
  return {};
}

Result<std::uint64_t> SimFile::inode() {
  WEIR_TRY(view_.enter(Cost::quick, "stat", path_));
  return inode_->number();
}

Result<bool> SimFile::is_named() {
  WEIR_TRY(view_.enter(Cost::quick, "stat", path_));
  return view_.disk().find(path_) == inode_;
}

Result<void> SimFile::lock(bool exclusive) {
  WEIR_TRY(view_.enter(Cost::quick, "lock", path_));
  while (!inode_->try_lock(this, exclusive)) WEIR_TRY(view_.wait_for_lock(path_));
  return {};
}

Result<bool> SimFile::try_lock_exclusive() {
  WEIR_TRY(view_.enter(Cost::quick, "lock", path_));
  return inode_->try_lock(this, true);
}

Result<void> SimFile::unlock() {
  WEIR_TRY(view_.enter(Cost::quick, "unlock", path_));
  inode_->unlock(this);
  return {};
}

}  // namespace weir::rt::sim
