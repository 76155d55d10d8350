#include "engine/lock_file_witness.h"

namespace weir::engine {

namespace {
constexpr int kLockAttemptsMax = 10;
}  // namespace

std::string LockFileWitness::path_of(Incarnation incarnation) const {
  return directory_ + "/" + incarnation.hex() + ".lock";
}

Result<std::unique_ptr<rt::File>> LockFileWitness::try_lock_own(const std::string& path) const {
  auto file = files_.open(path, rt::OpenMode::create_or_open);
  if (!file) return file;
  auto locked = (*file)->try_lock_exclusive();
  if (!locked) return std::unexpected(locked.error());
  if (!*locked) return nullptr;
  // Between opening and locking, a peer that was tidying up may have removed the name.
  auto named = files_.open(path, rt::OpenMode::read_write);
  if (!named) return nullptr;
  auto ours = (*file)->inode();
  auto theirs = (*named)->inode();
  if (!ours || !theirs || *ours != *theirs) return nullptr;
  return file;
}

Result<std::unique_ptr<rt::File>> LockFileWitness::lock_own(const std::string& path) const {
  WEIR_TRY(files_.make_directories(directory_));
  for (int attempt = 0; attempt < kLockAttemptsMax; ++attempt) {
    auto file = try_lock_own(path);
    if (!file) return file;
    if (*file) return file;
  }
  return fail(ErrorCode::internal, path + " cannot be locked although its name is new");
}

/// Files of brokers that were killed and superseded are looked at by nobody else.
void LockFileWitness::remove_dead(const std::string& own_path) const {
  auto items = files_.list(directory_);
  if (!items) return;
  for (const rt::FileSystem::Item& item : *items) {
    std::string path = directory_ + "/" + item.name;
    if (item.name.ends_with(".lock") && path != own_path) (void)look(path);
  }
}

rt::Task<Result<void>> LockFileWitness::announce(Incarnation self) {
  std::string path = path_of(self);
  auto file = co_await rt::run_blocking(loop_, workers_, [this, &path] {
    auto own = lock_own(path);
    if (own) remove_dead(path);
    return own;
  });
  if (!file) co_return with_context(file.error(), "announcing this broker");
  co_await withdraw();  // Of an earlier incarnation of this process.
  own_ = std::move(*file);
  own_path_ = std::move(path);
  co_return Result<void>{};
}

Result<bool> LockFileWitness::look(const std::string& path) const {
  auto file = files_.open(path, rt::OpenMode::read_write);
  if (!file) {
    if (file.error().is(ErrorCode::not_found)) return true;
    return std::unexpected(file.error());
  }
  auto locked = (*file)->try_lock_exclusive();
  if (!locked || !*locked) return locked;
  // The remains of the dead; whoever else looks now finds the file missing, which says the same.
  (void)files_.remove(path);
  return true;
}

rt::Task<bool> LockFileWitness::is_dead(Incarnation other) {
  std::string path = path_of(other);
  auto dead = co_await rt::run_blocking(loop_, workers_, [this, &path] { return look(path); });
  co_return dead && *dead;
}

rt::Task<void> LockFileWitness::withdraw() {
  if (!own_) co_return;
  std::string path = std::exchange(own_path_, {});
  std::unique_ptr<rt::File> file = std::move(own_);
  // Removed while still locked, so that nobody can take a lock on a name that is about to vanish.
  auto removed =
      co_await rt::run_blocking(loop_, workers_, [this, &path] { return files_.remove(path); });
  (void)removed;
}

}  // namespace weir::engine
