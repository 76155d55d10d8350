#include "rt/sim/file_system.h"

#include "rt/sim/jobs.h"
#include "rt/sim/limits.h"
#include "rt/sim/sim_file.h"

namespace weir::rt::sim {

Result<void> SimFileSystem::enter(Cost cost, std::string_view what, const std::string& path) {
  auto stopped = [&] {
    return fail(ErrorCode::cancelled, std::string(what) + " " + path + ": process has stopped");
  };
  if (!node_.alive()) return stopped();
  if (calls_ >= stop_at_) {
    if (kills_) node_.kill();
    return stopped();
  }
  ++calls_;
  Random& random = node_.world().random();
  std::uint64_t micros = cost == Cost::sync ? 50 + random.below(5000) : 1 + random.below(50);
  if (!node_.world().jobs().give_way(1us * static_cast<std::int64_t>(micros))) return stopped();
  if (disk_.draw_failure()) {
    return fail(ErrorCode::unavailable, std::string(what) + " " + path + ": input/output error");
  }
  return {};
}

Result<void> SimFileSystem::wait_for_lock(const std::string& path) {
  JobRunner& jobs = node_.world().jobs();
  if (!jobs.in_job()) {
    return fail(ErrorCode::unavailable,
                "lock " + path + ": held, and this is no job that can wait");
  }
  if (!jobs.give_way(kLockRetry)) {
    return fail(ErrorCode::cancelled, "lock " + path + ": process has stopped");
  }
  return {};
}

void SimFileSystem::release_everything() {
  for (SimFile* file : open_files_) file->release();
  open_files_.clear();
}

Result<std::unique_ptr<File>> SimFileSystem::open(const std::string& raw, OpenMode mode) {
  std::string path = SimDisk::normalised(raw);
  WEIR_TRY(enter(Cost::quick, "open", path));
  if (disk_.is_directory(path)) {
    return fail(ErrorCode::configuration, "open " + path + ": is a directory");
  }
  std::shared_ptr<SimInode> inode = disk_.find(path);
  if (inode != nullptr && mode == OpenMode::create_new) {
    return fail(ErrorCode::already_exists, "open " + path + ": file exists");
  }
  if (inode == nullptr && (mode == OpenMode::read || mode == OpenMode::read_write)) {
    return fail(ErrorCode::not_found, "open " + path + ": no such file or directory");
  }
  if (inode == nullptr) {
    auto created = disk_.create(path);
    if (!created) return with_context(std::move(created).error(), "open");
    inode = *std::move(created);
  }
  auto file = std::make_unique<SimFile>(*this, std::move(inode), path, mode != OpenMode::read);
  open_files_.insert(file.get());
  return file;
}

Result<void> SimFileSystem::rename(const std::string& raw_from, const std::string& raw_to) {
  std::string from = SimDisk::normalised(raw_from);
  std::string to = SimDisk::normalised(raw_to);
  WEIR_TRY(enter(Cost::quick, "rename", from));
  return disk_.rename(from, to);
}

Result<void> SimFileSystem::link(const std::string& raw_from, const std::string& raw_to) {
  std::string from = SimDisk::normalised(raw_from);
  std::string to = SimDisk::normalised(raw_to);
  WEIR_TRY(enter(Cost::quick, "link", from));
  return disk_.link(from, to);
}

Result<void> SimFileSystem::remove(const std::string& raw) {
  std::string path = SimDisk::normalised(raw);
  WEIR_TRY(enter(Cost::quick, "remove", path));
  return disk_.remove(path);
}

Result<void> SimFileSystem::make_directories(const std::string& raw) {
  std::string path = SimDisk::normalised(raw);
  WEIR_TRY(enter(Cost::quick, "make directory", path));
  return disk_.make_directories(path);
}

Result<void> SimFileSystem::sync_directory(const std::string& raw) {
  std::string path = SimDisk::normalised(raw);
  WEIR_TRY(enter(Cost::sync, "sync directory", path));
  return disk_.sync_directory(path);
}

Result<std::vector<FileSystem::Item>> SimFileSystem::list(const std::string& raw) {
  std::string path = SimDisk::normalised(raw);
  WEIR_TRY(enter(Cost::quick, "list", path));
  return disk_.list(path);
}

Result<std::string> SimFileSystem::kind(const std::string& raw) {
  WEIR_TRY(enter(Cost::quick, "kind", raw));
  return disk_.kind();
}

}  // namespace weir::rt::sim
