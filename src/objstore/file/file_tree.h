// FileTree: objects as files below one directory, with blocking calls.
//
// The problem: a file system shows half-written files, forgets what was not synced, and two brokers
// may use one directory. Hence
//
//   put            write to .tmp, fdatasync, rename, fsync of the directory
//   put_if_absent  write to .tmp, fdatasync, link (fails if the name is taken), fsync, drop .tmp
//   put_if_match   the same with rename, while holding the lock on .lock and after comparing etags
//
// so that a name always leads to whole, synced bytes. An answer comes after the last sync; between
// the rename and that sync others can read bytes that a power loss may still take away, which
// matters to nobody before the name was announced. Deletions are not synced: a power loss may bring
// a deleted object back, and orphan collection finds it.
//
// Open files live on when the directory is removed or replaced. So after the last sync, and before
// it answers, a write asks whether the path of the tree's own lock still leads to it; if not, the
// answer is an error that a person must resolve, and nothing was acknowledged.
//
// Names that begin with a dot belong to the tree: .tmp/{token}-{n} are files being written by the
// tree that holds a lock on .tmp/{token}.lock. Opening a tree removes what dead trees left there.
//
// put_if_match excludes other put_if_match of any tree on the directory. Mixing it with put or
// remove of the same name is not guarded, and weir does not.
//
// Large objects may pass the page cache by, in both directions (direct_io.h): copying them into
// fresh pages takes most of a broker's processor time, and what is read again soon is in the
// engine's cache. Where a file system cannot do it, the first refusal ends it for this tree.
//
// The syncs of many uploads that end in one directory at a time are grouped by the file system's
// own journal, so nothing here waits for others.
//
// Thread-safe; several trees, in one process or in many, may share a directory. `files` outlives
// the tree.
#pragma once

#include <atomic>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "objstore/file/direct_io.h"
#include "objstore/limits.h"
#include "objstore/object_store.h"
#include "rt/files.h"
#include "rt/random.h"

namespace weir::objstore {

/// As FileTreeOptions::direct_bytes_min.
inline constexpr std::size_t kDirectNever = std::numeric_limits<std::size_t>::max();

struct FileTreeOptions {
  std::string root;
  /// False (`?sync=none`): nothing is synced; a power loss may lose or tear what was acknowledged.
  bool sync = true;
  /// Nothing is made, locked or removed, now or later; whatever would write fails.
  bool read_only = false;
  /// Objects of at least this size pass the page cache by.
  std::size_t direct_bytes_min = kDirectNever;
};

class FileTree {
 public:
  /// Makes the root if it is missing and clears dead temporary files. `random` is used only here.
  static Result<std::unique_ptr<FileTree>> open(rt::FileSystem& files, FileTreeOptions options,
                                                rt::Random& random);

  Result<std::string> put(const std::string& name, const BytesChain& body);
  Result<std::string> put_if_absent(const std::string& name, const BytesChain& body);
  /// Nothing if another tree holds the lock: try again after a pause.
  Result<std::optional<std::string>> try_put_if_match(const std::string& name,
                                                      const BytesChain& body,
                                                      const std::string& etag);
  Result<SharedBytes> get(const std::string& name);
  Result<SharedBytes> get_range(const std::string& name, std::uint64_t offset,
                                std::uint64_t length);
  Result<ObjectInfo> head(const std::string& name);
  Result<ObjectStore::Page> list(const std::string& prefix, const std::string& continuation);
  ObjectStore::RemoveFailures remove(const std::vector<std::string>& names);

  const FileTreeOptions& options() const { return options_; }
  /// Kind of the file system ("ext4", "nfs", …), as found when the tree was opened.
  const std::string& kind() const { return kind_; }
  /// Whether the file system has refused to do without the page cache.
  bool direct_refused() const { return direct_refused_.load(std::memory_order_relaxed); }

 private:
  FileTree(rt::FileSystem& files, FileTreeOptions options)
      : files_(files), options_(std::move(options)) {}

  Result<void> take_token(rt::Random& random);
  Result<void> clear_dead_files();
  Result<void> clear_files_of(const std::string& token,
                              const std::vector<rt::FileSystem::Item>& items);
  struct OpenObject;
  Result<OpenObject> open_object(const std::string& name) const;
  Result<SharedBytes> read_object(OpenObject& object, std::uint64_t offset, std::uint64_t length,
                                  const std::string& name);
  bool is_direct(std::uint64_t object_bytes) const {
    return object_bytes >= options_.direct_bytes_min && !direct_refused();
  }
  Result<void> write_body(rt::File& file, const BytesChain& body);
  Result<std::string> write_temporary(const BytesChain& body);
  Result<void> sync_directory_of(const std::string& path);
  Result<void> check_root() const;
  Result<void> ensure_directory_of(const std::string& path);
  enum class Naming : unsigned char { replace, create };
  Result<void> name_temporary(const std::string& temporary, const std::string& path, Naming naming);
  Result<void> store(const std::string& name, const BytesChain& body, Naming naming);
  Result<std::string> full_path(const std::string& name) const;

  rt::FileSystem& files_;
  FileTreeOptions options_;
  std::string kind_;
  std::string token_;
  /// Its lock says that the files of our token are alive.
  std::unique_ptr<rt::File> token_lock_;
  std::atomic<std::uint64_t> next_temporary_{0};
  std::atomic<bool> direct_refused_{false};
  StagingMemory staging_;

  /// Never held during a file call.
  std::mutex mutex_;
  /// Directories that exist and are durable, as full paths.
  std::set<std::string> known_directories_;
};

/// Whether advisory locks and syncs of this kind of file system reach other machines' views: then
/// brokers on several machines could share it, and weir warns, for it is not made for that.
bool is_network_file_system(std::string_view kind);

}  // namespace weir::objstore
