// SimFileSystem: what one simulated process sees of its machine's disk.
//
// Inside a job every call takes a little time, in which other processes and other jobs go on.
// Called elsewhere (by a test, directly) it takes none. Blocking locks wait in a job; elsewhere
// they fail with `unavailable` when somebody else has the lock, since nothing could release it.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "rt/files.h"
#include "rt/sim/disk.h"
#include "rt/sim/node.h"

namespace weir::rt::sim {

class SimFile;

class SimFileSystem final : public FileSystem {
 public:
  SimFileSystem(SimNode& node, SimDisk& disk) : node_(node), disk_(disk) {}

  Result<std::unique_ptr<File>> open(const std::string& path, OpenMode mode) override;
  Result<void> rename(const std::string& from, const std::string& to) override;
  Result<void> link(const std::string& from, const std::string& to) override;
  Result<void> remove(const std::string& path) override;
  Result<void> make_directories(const std::string& path) override;
  Result<void> sync_directory(const std::string& path) override;
  Result<std::vector<Item>> list(const std::string& path) override;
  Result<std::string> kind(const std::string& path) override;

  /// Calls made so far, of this and of its files: the number of places where a process can stop.
  std::uint64_t calls() const { return calls_; }
  /// `more` further calls work; all later ones do nothing and fail with `cancelled`.
  void stop_after(std::uint64_t more) { stop_at_ = calls_ + more; }
  /// As stop_after, and the first call that stops kills the process.
  void kill_after(std::uint64_t more) {
    stop_after(more);
    kills_ = true;
  }
  void never_stop() { stop_at_ = std::numeric_limits<std::uint64_t>::max(); }

  SimDisk& disk() { return disk_; }

 private:
  friend class SimFile;
  friend class SimNode;

  enum class Cost : unsigned char { quick, sync };
  /// What every call does first.
  Result<void> enter(Cost cost, std::string_view what, const std::string& path);
  /// Lets other jobs run before a lock is tried again; fails outside a job.
  Result<void> wait_for_lock(const std::string& path);
  /// When the process has died: its locks are free.
  void release_everything();

  SimNode& node_;
  SimDisk& disk_;
  std::uint64_t calls_ = 0;
  std::uint64_t stop_at_ = std::numeric_limits<std::uint64_t>::max();
  bool kills_ = false;
  std::set<SimFile*> open_files_;
};

}  // namespace weir::rt::sim
