#include "rt/asio/posix_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/narrow.h"
#include "rt/asio/gather.h"
#include "rt/asio/system_error.h"

namespace weir::rt::asio {

PosixFile::~PosixFile() { ::close(descriptor_); }

std::unexpected<Error> PosixFile::failed(int error, const char* what) const {
  return std::unexpected(file_error(error, what, path_));
}

std::unexpected<Error> PosixFile::transfer_failed(int error, const char* what) const {
  // Larger blocks than ours, or a transfer that was cut short inside of one.
  if (caching_ == Caching::off && error == EINVAL) error = EOPNOTSUPP;
  return failed(error, what);
}

Result<void> PosixFile::set_caching(Caching caching) {
  if (caching == caching_) return {};
  int flags = ::fcntl(descriptor_, F_GETFL);
  if (flags < 0) return failed(errno, "look at");
  flags = caching == Caching::off ? flags | O_DIRECT : flags & ~O_DIRECT;
  if (::fcntl(descriptor_, F_SETFL, flags) != 0)
    return failed(errno == EINVAL ? EOPNOTSUPP : errno, "turn caching off for");
  caching_ = caching;
  return {};
}

Result<std::size_t> PosixFile::read_at(std::uint64_t offset, MutableBytes into) {
  std::size_t done = 0;
  while (done < into.size()) {
    MutableBytes rest = into.subspan(done);
    ssize_t got = ::pread(descriptor_, rest.data(), rest.size(), narrow<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return transfer_failed(errno, "read");
    if (got == 0) break;
    done += narrow<std::size_t>(got);
    // Only the end of the file lies off a block.
    if (caching_ == Caching::off && done % kDirectBlockBytes != 0) break;
  }
  return done;
}

Result<void> PosixFile::write_at(std::uint64_t offset, std::span<const Bytes> parts) {
  GatherCursor cursor(parts);
  std::array<iovec, kVectorPartsMax> vector;
  while (!cursor.done()) {
    std::size_t count = cursor.next(vector);
    ssize_t put = ::pwritev(descriptor_, vector.data(), narrow<int>(count), narrow<off_t>(offset));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return transfer_failed(errno, "write");
    // A write of something that takes nothing would loop for ever; a full disk may look like this.
    if (put == 0) return failed(ENOSPC, "write");
    cursor.advance(narrow<std::size_t>(put));
    offset += narrow<std::uint64_t>(put);
  }
  return {};
}

Result<void> PosixFile::sync() {
  while (::fdatasync(descriptor_) != 0) {
    if (errno != EINTR) return failed(errno, "sync");
  }
  return {};
}

Result<std::uint64_t> PosixFile::size() {
  struct stat status{};
  if (::fstat(descriptor_, &status) != 0) return failed(errno, "stat");
  return narrow<std::uint64_t>(status.st_size);
}

Result<void> PosixFile::truncate(std::uint64_t size) {
  while (::ftruncate(descriptor_, narrow<off_t>(size)) != 0) {
    if (errno != EINTR) return failed(errno, "truncate");
  }
  return {};
}

Result<std::uint64_t> PosixFile::inode() {
  struct stat status{};
  if (::fstat(descriptor_, &status) != 0) return failed(errno, "stat");
  return narrow<std::uint64_t>(status.st_ino);
}

Result<bool> PosixFile::is_named() {
  struct stat open_file{};
  struct stat named{};
  if (::fstat(descriptor_, &open_file) != 0) return failed(errno, "stat");
  if (::stat(path_.c_str(), &named) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return false;
    return failed(errno, "stat");
  }
  return open_file.st_ino == named.st_ino && open_file.st_dev == named.st_dev;
}

Result<void> PosixFile::flock(int operation, const char* what) {
  while (::flock(descriptor_, operation) != 0) {
    if (errno != EINTR) return failed(errno, what);
  }
  return {};
}

Result<void> PosixFile::lock_exclusive() { return flock(LOCK_EX, "lock"); }
Result<void> PosixFile::lock_shared() { return flock(LOCK_SH, "lock"); }

Result<bool> PosixFile::try_lock_exclusive() {
  while (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) return false;
    if (errno != EINTR) return failed(errno, "lock");
  }
  return true;
}

Result<void> PosixFile::unlock() { return flock(LOCK_UN, "unlock"); }

}  // namespace weir::rt::asio
