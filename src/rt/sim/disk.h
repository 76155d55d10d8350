// SimDisk: the file system of a simulated machine, as it outlives processes and power losses.
//
// A process that dies leaves everything that it wrote (the kernel has it). A power loss takes what
// was not synced: bytes (see inode.h), and names: every change of a directory is remembered until
// the directory is synced, and a power loss applies only a random beginning of what is left.
// Syncing a directory also makes its own path durable, as journaling file systems do, but nothing
// else: a name in another directory must be synced there.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "rt/files.h"
#include "rt/random.h"
#include "rt/sim/inode.h"

namespace weir::rt::sim {

class SimDisk {
 public:
  explicit SimDisk(std::uint64_t seed);

  void lose_power();

  /// Writes beyond it fail with out_of_space.
  void set_capacity(std::uint64_t bytes_max) { bytes_max_ = bytes_max; }
  std::uint64_t used() const;
  std::uint64_t free_bytes() const;
  /// The next `count` calls of any process fail with `unavailable`.
  void fail_next(std::uint64_t count) { failures_ = count; }
  /// This many calls in a million fail with `unavailable`.
  void set_error_ppm(std::uint32_t ppm) { error_ppm_ = ppm; }
  /// Whether files can be read and written without the page cache; some file systems say so only
  /// when they are to do it.
  enum class Direct : unsigned char { works, refuses_transfers, never };
  void set_direct(Direct direct) { direct_ = direct; }
  Direct direct() const { return direct_; }
  /// What FileSystem::kind answers.
  void set_kind(std::string kind) { kind_ = std::move(kind); }
  const std::string& kind() const { return kind_; }

  Random& random() { return random_; }
  /// Whether the present call is to fail.
  bool draw_failure();

  // Names. Paths are normalised: absolute, no trailing or double slash.
  static std::string normalised(const std::string& path);
  bool is_directory(const std::string& path) const;
  /// Null if there is no file of that name.
  std::shared_ptr<SimInode> find(const std::string& path) const;
  Result<std::shared_ptr<SimInode>> create(const std::string& path);
  Result<void> link(const std::string& from, const std::string& to);
  Result<void> rename(const std::string& from, const std::string& to);
  Result<void> remove(const std::string& path);
  Result<void> make_directories(const std::string& path);
  Result<void> sync_directory(const std::string& path);
  Result<std::vector<FileSystem::Item>> list(const std::string& path);

 private:
  /// A file, or a directory if it has no inode.
  using Entry = std::shared_ptr<SimInode>;
  using Names = std::map<std::string, Entry>;
  /// One change of names that is not durable yet: `erase` disappears and `put` appears, at once.
  struct Change {
    std::string erase;
    std::string put;
    Entry entry;
  };
  static void apply(Names& names, const Change& change);
  void change(Change change);
  Result<void> check_parent(const std::string& path) const;
  bool has_children(const std::string& path) const;

  SeededRandom random_;
  Names names_;
  Names durable_names_;
  std::vector<Change> journal_;
  std::uint64_t next_inode_ = 1;
  std::uint64_t bytes_max_ = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t failures_ = 0;
  std::uint32_t error_ppm_ = 0;
  Direct direct_ = Direct::works;
  std::string kind_ = "sim";
};

}  // namespace weir::rt::sim
