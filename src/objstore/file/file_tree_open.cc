// How a tree begins: its own token, and the removal of what dead trees left behind.
#include "base/ids.h"
#include "objstore/file/file_tree.h"

namespace weir::objstore {
namespace {

constexpr std::string_view kLockSuffix = ".lock";
constexpr int kTokenAttemptsMax = 8;

}  // namespace

Result<std::unique_ptr<FileTree>> FileTree::open(rt::FileSystem& files, FileTreeOptions options,
                                                 rt::Random& random) {
  while (options.root.size() > 1 && options.root.ends_with('/')) options.root.pop_back();
  if (options.root.empty()) return fail(ErrorCode::invalid_argument, "file store without a path");
  std::unique_ptr<FileTree> tree(new FileTree(files, std::move(options)));
  const std::string& root = tree->options_.root;
  if (tree->options_.read_only) return tree;
  Result<void> made = files.make_directories(root + "/.tmp");
  if (!made) return with_context(std::move(made).error(), "file store " + root);
  if (tree->options_.sync) {
    Result<void> synced = files.sync_directory(root);
    std::size_t slash = root.rfind('/');
    if (synced && slash != std::string::npos && slash != 0) {
      synced = files.sync_directory(root.substr(0, slash));
      // A parent that we may not open was there before us.
      if (!synced && synced.error().is(ErrorCode::configuration)) synced = {};
    }
    if (!synced) return with_context(std::move(synced).error(), "file store " + root);
  }
  Result<std::string> kind = files.kind(root);
  if (!kind) return with_context(std::move(kind).error(), "file store " + root);
  tree->kind_ = std::move(*kind);
  WEIR_TRY(tree->take_token(random));
  WEIR_TRY(tree->clear_dead_files());
  return tree;
}

Result<void> FileTree::take_token(rt::Random& random) {
  for (int attempt = 0; attempt < kTokenAttemptsMax; ++attempt) {
    token_ = random.id128<Nonce>().hex();
    std::string path = options_.root + "/.tmp/" + token_ + std::string(kLockSuffix);
    Result<std::unique_ptr<rt::File>> file = files_.open(path, rt::OpenMode::create_new);
    if (!file && file.error().is(ErrorCode::already_exists)) continue;
    if (!file) return with_context(std::move(file).error(), "file store " + options_.root);
    Result<bool> locked = (*file)->try_lock_exclusive();
    if (!locked) return with_context(std::move(locked).error(), "file store " + options_.root);
    if (!*locked) continue;
    // Between our open and our lock another tree may have taken the file for a dead one's.
    Result<std::unique_ptr<rt::File>> again = files_.open(path, rt::OpenMode::read);
    if (!again) continue;
    Result<std::uint64_t> ours = (*file)->inode();
    Result<std::uint64_t> named = (*again)->inode();
    if (!ours || !named || *ours != *named) continue;
    token_lock_ = std::move(*file);
    return {};
  }
  return fail(ErrorCode::unavailable, "file store " + options_.root + ": no free token in .tmp");
}

Result<void> FileTree::clear_dead_files() {
  std::string directory = options_.root + "/.tmp";
  Result<std::vector<rt::FileSystem::Item>> items = files_.list(directory);
  if (!items) return with_context(std::move(items).error(), "file store " + options_.root);
  for (const rt::FileSystem::Item& item : *items) {
    if (!item.name.ends_with(kLockSuffix)) continue;
    std::string token = item.name.substr(0, item.name.size() - kLockSuffix.size());
    if (token == token_) continue;
    Result<std::unique_ptr<rt::File>> file =
        files_.open(directory + "/" + item.name, rt::OpenMode::read_write);
    if (!file) continue;  // another tree cleans, too
    Result<bool> dead = (*file)->try_lock_exclusive();
    if (!dead || !*dead) continue;
    WEIR_TRY(clear_files_of(token, *items));
    // Last, and while it is locked: a lock file without temporary files is all that may remain.
    std::ignore = files_.remove(directory + "/" + item.name);
  }
  return {};
}

Result<void> FileTree::clear_files_of(const std::string& token,
                                      const std::vector<rt::FileSystem::Item>& items) {
  for (const rt::FileSystem::Item& item : items) {
    if (!item.name.starts_with(token + "-")) continue;
    Result<void> removed = files_.remove(options_.root + "/.tmp/" + item.name);
    if (!removed && !removed.error().is(ErrorCode::not_found))
      return with_context(std::move(removed).error(), "file store " + options_.root);
  }
  return {};
}

}  // namespace weir::objstore
