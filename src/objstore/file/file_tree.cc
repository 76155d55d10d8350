#include "objstore/file/file_tree.h"

#include <algorithm>
#include <array>

#include "base/narrow.h"
#include "objstore/etag.h"
#include "objstore/file/tree_walk.h"
#include "objstore/limits.h"
#include "objstore/object_name.h"

namespace weir::objstore {
namespace {

std::string parent_of(const std::string& path) { return path.substr(0, path.rfind('/')); }

/// The name may already lead to the new object when this fails.
std::unexpected<Error> unclear(Error error, const std::string& name) {
  error.code = ErrorCode::unknown_outcome;
  return with_context(std::move(error), "object " + name + " is named but perhaps not durable");
}

std::unexpected<Error> read_only(const std::string& name) {
  return fail(ErrorCode::configuration,
              "object " + name + ": the file store was opened for reading only");
}

Error absent(Error error, const std::string& name) {
  if (error.is(ErrorCode::not_found)) error.message = "no object " + name;
  return error;
}

}  // namespace

bool is_network_file_system(std::string_view kind) {
  static constexpr std::array<std::string_view, 10> kKinds = {
      "nfs", "smb", "smb2", "cifs", "ceph", "lustre", "9p", "fuse", "afs", "virtiofs"};
  return std::ranges::find(kKinds, kind) != kKinds.end();
}

Result<std::string> FileTree::full_path(const std::string& name) const {
  Result<std::string> path = path_of_name(name);
  if (!path) return path;
  return options_.root + "/" + *path;
}

struct FileTree::OpenObject {
  std::unique_ptr<rt::File> file;
  std::uint64_t size = 0;
};

Result<FileTree::OpenObject> FileTree::open_object(const std::string& name) const {
  Result<std::string> path = full_path(name);
  if (!path) return std::unexpected(std::move(path).error());
  Result<std::unique_ptr<rt::File>> file = files_.open(*path, rt::OpenMode::read);
  if (!file) return std::unexpected(absent(std::move(file).error(), name));
  Result<std::uint64_t> size = (*file)->size();
  if (!size) return with_context(std::move(size).error(), "object " + name);
  return OpenObject{std::move(*file), *size};
}

Result<SharedBytes> FileTree::read_object(OpenObject& object, std::uint64_t offset,
                                          std::uint64_t length, const std::string& name) {
  if (offset > object.size || length > object.size - offset)
    return fail(ErrorCode::invalid_argument, "range past the end of object " + name);
  if (length > kObjectBytesMax)
    return fail(ErrorCode::too_large, "object " + name + " is too large to be read at once");
  Result<SharedBytes> bytes;
  bool direct = is_direct(object.size) &&
                length >= std::min(options_.direct_bytes_min, kFileDirectReadBytesMin);
  if (direct) {
    bytes = read_direct(*object.file, offset, narrow<std::size_t>(length));
    if (!bytes && bytes.error().is(ErrorCode::unsupported)) {
      direct_refused_ = true;
      direct = false;
      WEIR_TRY(object.file->set_caching(rt::Caching::on));
    }
  }
  if (!direct) bytes = read_cached(*object.file, offset, narrow<std::size_t>(length));
  if (!bytes) return with_context(std::move(bytes).error(), "object " + name);
  if (bytes->size() != length)
    return fail(ErrorCode::corrupt, "file of object " + name + " was cut while it was read");
  return bytes;
}

Result<void> FileTree::write_body(rt::File& file, const BytesChain& body) {
  if (is_direct(body.size())) {
    StagingMemory::Loan staging = staging_.borrow();
    Result<void> written = write_direct(file, body, staging.bytes());
    if (written || !written.error().is(ErrorCode::unsupported)) return written;
    direct_refused_ = true;
    WEIR_TRY(file.set_caching(rt::Caching::on));
  }
  return file.write_at(0, body.views());
}

Result<std::string> FileTree::write_temporary(const BytesChain& body) {
  std::string path =
      options_.root + "/.tmp/" + token_ + "-" + std::to_string(next_temporary_.fetch_add(1));
  Result<std::unique_ptr<rt::File>> file = files_.open(path, rt::OpenMode::create_new);
  if (!file) {
    // An object that is absent and a tree that was moved away are not the same.
    Error error = std::move(file).error();
    if (error.is(ErrorCode::not_found)) error.code = ErrorCode::configuration;
    return with_context(std::move(error), "file store");
  }
  Result<void> written = write_body(**file, body);
  if (written && options_.sync) written = (*file)->sync();
  if (!written) {
    // After a failed sync nobody knows what the disk holds, so the file is given up, not retried.
    std::ignore = files_.remove(path);
    return with_context(std::move(written).error(), "file store");
  }
  return path;
}

Result<void> FileTree::check_root() const {
  Result<bool> named = token_lock_->is_named();
  if (!named) return std::unexpected(std::move(named).error());
  if (*named) return {};
  return fail(ErrorCode::configuration,
              "the directory " + options_.root +
                  " was removed or replaced under this broker. Stop all brokers of this directory, "
                  "put it back as it was, and start them again");
}

Result<void> FileTree::sync_directory_of(const std::string& path) {
  if (!options_.sync) return {};
  return files_.sync_directory(parent_of(path));
}

Result<void> FileTree::ensure_directory_of(const std::string& path) {
  std::string directory = parent_of(path);
  {
    std::scoped_lock lock(mutex_);
    if (known_directories_.contains(directory)) return {};
  }
  if (directory.size() > options_.root.size()) WEIR_TRY(ensure_directory_of(directory));
  WEIR_TRY(files_.make_directories(directory));
  // Synced also if it was there already: its maker may have died before its own sync.
  if (directory.size() > options_.root.size()) WEIR_TRY(sync_directory_of(directory));
  std::scoped_lock lock(mutex_);
  if (known_directories_.size() >= kFileKnownDirectoriesMax) known_directories_.clear();
  known_directories_.insert(directory);
  return {};
}

Result<void> FileTree::name_temporary(const std::string& temporary, const std::string& path,
                                      Naming naming) {
  WEIR_TRY(ensure_directory_of(path));
  auto name = [&] {
    return naming == Naming::replace ? files_.rename(temporary, path)
                                     : files_.link(temporary, path);
  };
  Result<void> named = name();
  if (named || !named.error().is(ErrorCode::not_found)) return named;
  // Somebody removed a directory that we remember.
  {
    std::scoped_lock lock(mutex_);
    known_directories_.clear();
  }
  WEIR_TRY(ensure_directory_of(path));
  named = name();
  if (!named && named.error().is(ErrorCode::not_found)) named.error().code = ErrorCode::unavailable;
  return named;
}

Result<void> FileTree::store(const std::string& name, const BytesChain& body, Naming naming) {
  Result<std::string> path = full_path(name);
  if (!path) return std::unexpected(std::move(path).error());
  if (options_.read_only) return read_only(name);
  if (body.size() > kObjectBytesMax)
    return fail(ErrorCode::too_large, "object " + name + " is too large");
  Result<std::string> temporary = write_temporary(body);
  if (!temporary) return std::unexpected(std::move(temporary).error());
  Result<void> named = name_temporary(*temporary, *path, naming);
  if (!named || naming == Naming::create) std::ignore = files_.remove(*temporary);
  bool exists = !named && named.error().is(ErrorCode::already_exists);
  if (!named && !exists) return with_context(std::move(named).error(), "object " + name);
  // The winner may not have synced yet; who hears "exists" must be able to rely on it.
  Result<void> synced = sync_directory_of(*path);
  if (!synced) return unclear(std::move(synced).error(), name);
  Result<void> ours = check_root();
  if (!ours && !ours.error().is(ErrorCode::configuration))
    return unclear(std::move(ours).error(), name);
  if (!ours) return with_context(std::move(ours).error(), "object " + name);
  if (exists) return fail(ErrorCode::already_exists, "object " + name + " exists");
  return {};
}

Result<std::string> FileTree::put(const std::string& name, const BytesChain& body) {
  WEIR_TRY(store(name, body, Naming::replace));
  return std::string();  // Segments come this way, and nobody compares and swaps a segment.
}

Result<std::string> FileTree::put_if_absent(const std::string& name, const BytesChain& body) {
  WEIR_TRY(store(name, body, Naming::create));
  return etag_of(body);
}

Result<std::optional<std::string>> FileTree::try_put_if_match(const std::string& name,
                                                              const BytesChain& body,
                                                              const std::string& etag) {
  if (options_.read_only) return read_only(name);
  // A lock belongs to the open file, so each call opens its own.
  Result<std::unique_ptr<rt::File>> lock =
      files_.open(options_.root + "/.lock", rt::OpenMode::create_or_open);
  if (!lock) return with_context(std::move(lock).error(), "file store");
  Result<bool> locked = (*lock)->try_lock_exclusive();
  if (!locked) return with_context(std::move(locked).error(), "file store");
  if (!*locked) return std::nullopt;
  Result<ObjectInfo> found = head(name);
  if (!found && !found.error().is(ErrorCode::not_found))
    return std::unexpected(std::move(found).error());
  if (!found || found->etag != etag)
    return fail(ErrorCode::precondition, "object " + name + " is not the version that was named");
  WEIR_TRY(store(name, body, Naming::replace));
  return etag_of(body);
}

Result<SharedBytes> FileTree::get(const std::string& name) {
  Result<OpenObject> object = open_object(name);
  if (!object) return std::unexpected(std::move(object).error());
  return read_object(*object, 0, object->size, name);
}

Result<SharedBytes> FileTree::get_range(const std::string& name, std::uint64_t offset,
                                        std::uint64_t length) {
  Result<OpenObject> object = open_object(name);
  if (!object) return std::unexpected(std::move(object).error());
  return read_object(*object, offset, length, name);
}

Result<ObjectInfo> FileTree::head(const std::string& name) {
  Result<OpenObject> object = open_object(name);
  if (!object) return std::unexpected(std::move(object).error());
  static constexpr std::uint64_t kPieceBytes = 1u << 20;
  EtagHasher hasher;
  for (std::uint64_t at = 0; at < object->size; at += kPieceBytes) {
    Result<SharedBytes> piece =
        read_object(*object, at, std::min(kPieceBytes, object->size - at), name);
    if (!piece) return std::unexpected(std::move(piece).error());
    hasher.add(piece->view());
  }
  return ObjectInfo{name, object->size, hasher.finish()};
}

Result<ObjectStore::Page> FileTree::list(const std::string& prefix,
                                         const std::string& continuation) {
  return walk_tree(files_, options_.root, prefix, continuation, kListPageObjectsMax);
}

ObjectStore::RemoveFailures FileTree::remove(const std::vector<std::string>& names) {
  ObjectStore::RemoveFailures failures;
  for (const std::string& name : names) {
    Result<std::string> path = full_path(name);
    Result<void> removed;
    if (options_.read_only)
      removed = read_only(name);
    else if (path)
      removed = files_.remove(*path);
    else
      removed = std::unexpected(std::move(path).error());
    if (!removed && !removed.error().is(ErrorCode::not_found))
      failures.emplace_back(name, std::move(removed).error());
  }
  return failures;
}

}  // namespace weir::objstore
