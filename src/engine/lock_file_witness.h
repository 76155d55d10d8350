// LockFileWitness: proof of death on a shared directory.
//
// Every broker process holds an exclusive lock on `{directory}/{incarnation}.lock` from before its
// registration until it ends; the kernel frees the lock however it ends. A free lock, or a file
// that a clean stop has removed, proves that the process can never act again.
#pragma once

#include <memory>
#include <string>

#include "engine/membership.h"
#include "rt/files.h"
#include "rt/workers.h"

namespace weir::engine {

class LockFileWitness final : public DeathWitness {
 public:
  LockFileWitness(rt::Loop& loop, rt::Workers& workers, rt::FileSystem& files,
                  std::string directory)
      : loop_(loop), workers_(workers), files_(files), directory_(std::move(directory)) {}

  rt::Task<Result<void>> announce(Incarnation self) override;
  rt::Task<bool> is_dead(Incarnation other) override;
  /// After a clean departure: removes the own file.
  rt::Task<void> withdraw();

 private:
  std::string path_of(Incarnation incarnation) const;
  /// Null if a peer interfered: try again.
  Result<std::unique_ptr<rt::File>> try_lock_own(const std::string& path) const;
  Result<std::unique_ptr<rt::File>> lock_own(const std::string& path) const;
  Result<bool> look(const std::string& path) const;
  void remove_dead(const std::string& own_path) const;

  rt::Loop& loop_;
  rt::Workers& workers_;
  rt::FileSystem& files_;
  std::string directory_;
  std::string own_path_;
  std::unique_ptr<rt::File> own_;
};

}  // namespace weir::engine
