// Files: the part of a POSIX file system that the file store and the file log need, real or
// simulated.
//
// These calls block. Code that uses them runs inside `run_blocking` (rt/workers.h), never on a
// loop. The simulated file system forgets what was not synced when its machine loses power, fills
// up on request, and can stop a process between any two calls.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace weir::rt {

/// Whether reads and writes of an open file go through the page cache.
enum class Caching : unsigned char { on, off };
/// Without the page cache, addresses, offsets and sizes are multiples of this.
inline constexpr std::size_t kDirectBlockBytes = 4'096;

/// An open file. Errors: out_of_space, unavailable (I/O error), not_found (deleted under us),
/// configuration.
class File {
 public:
  virtual ~File() = default;
  /// Reads up to into.size() bytes at `offset`; fewer only at the end of the file.
  virtual Result<std::size_t> read_at(std::uint64_t offset, MutableBytes into) = 0;
  /// Writes all parts one after another at `offset`. After an error any prefix may have been
  /// written.
  virtual Result<void> write_at(std::uint64_t offset, std::span<const Bytes> parts) = 0;
  /// On at first. Off is for large transfers: nothing is copied into pages that nobody reads, and
  /// the disk is asked at once; a read may end off a block where the file does. What is durable
  /// does not change by it. `unsupported`, also from a later read or write: this file system cannot
  /// do it.
  virtual Result<void> set_caching(Caching caching) = 0;
  /// fdatasync: what was written, and the size, survive a power loss.
  virtual Result<void> sync() = 0;
  virtual Result<std::uint64_t> size() = 0;
  virtual Result<void> truncate(std::uint64_t size) = 0;
  /// Identity of the file behind the descriptor, to notice that a path now names another one.
  virtual Result<std::uint64_t> inode() = 0;
  /// Whether the path that it was opened by still leads to this very file. False if the file, or a
  /// directory above it, was removed, moved or replaced.
  virtual Result<bool> is_named() = 0;
  /// flock: advisory locks between processes and between File objects of one process. Released when
  /// the File dies.
  virtual Result<void> lock_exclusive() = 0;
  virtual Result<void> lock_shared() = 0;
  /// False if somebody else holds the lock.
  virtual Result<bool> try_lock_exclusive() = 0;
  virtual Result<void> unlock() = 0;
};

enum class OpenMode : unsigned char {
  read,            // must exist
  read_write,      // must exist
  create_or_open,  // read_write, created empty if absent
  create_new,      // read_write; already_exists if present
};

/// Paths are absolute or relative to the process, '/'-separated.
class FileSystem {
 public:
  virtual ~FileSystem() = default;
  virtual Result<std::unique_ptr<File>> open(const std::string& path, OpenMode mode) = 0;
  /// Atomic; replaces `to`. Durable after sync_directory.
  virtual Result<void> rename(const std::string& from, const std::string& to) = 0;
  /// Atomic; already_exists if `to` exists. Durable after sync_directory.
  virtual Result<void> link(const std::string& from, const std::string& to) = 0;
  virtual Result<void> remove(const std::string& path) = 0;
  virtual Result<void> make_directories(const std::string& path) = 0;
  virtual Result<void> sync_directory(const std::string& path) = 0;
  struct Item {
    std::string name;
    bool is_directory = false;
    std::uint64_t size = 0;
  };
  /// The items of one directory, in no order. not_found if there is none.
  virtual Result<std::vector<Item>> list(const std::string& path) = 0;
  /// "ext4", "nfs", …: to warn of network file systems.
  virtual Result<std::string> kind(const std::string& path) = 0;
};

}  // namespace weir::rt
