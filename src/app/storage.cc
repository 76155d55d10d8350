#include "app/storage.h"

#include "cli/settings.h"
#include "commitlog/file_log.h"
#include "commitlog/file_log_reader.h"
#include "commitlog/memory_log.h"
#include "commitlog/object_log.h"
#include "objstore/file/file_store.h"
#include "objstore/memory_store.h"
#include "objstore/null_store.h"
#include "objstore/url.h"

namespace weir::app {

namespace {

/// Variables were expanded when the option was read.
Result<objstore::StoreUrl> parse(const std::string& text) {
  return objstore::parse_store_url(text, {});
}

bool lasts(const objstore::StoreUrl& url) { return url.scheme != "memory" && url.scheme != "null"; }

/// Whether a file URL names a directory; true for all other URLs.
Result<bool> is_there(rt::FileSystem& files, const objstore::StoreUrl& url,
                      const std::string& below) {
  if (url.scheme != "file") return true;
  auto file = objstore::file_url(url);
  if (!file) return std::unexpected(file.error());
  auto items = files.list(file->path + below);
  if (items) return true;
  if (items.error().is(ErrorCode::not_found)) return false;
  return with_context(items.error(), file->path + below);
}

/// The same result; a wrong URL is named as it was given, but for its secrets.
Result<void> naming(Result<void> result, std::string_view option, const std::string& url) {
  if (result || !result.error().is(ErrorCode::invalid_argument)) return result;
  return with_context(std::move(result).error(),
                      std::string(option) + " " + cli::mask_secrets(url));
}

/// What a person can do about a directory that cannot be opened.
std::unexpected<Error> cannot_open(Error error, const std::string& what, const std::string& path,
                                   std::string_view option) {
  if (error.is(ErrorCode::configuration) &&
      error.message.find("ermission denied") != std::string::npos)
    error.message +=
        "; give the user that weir runs as the right to write there (chown, or mount "
        "it writable), or name another directory with " +
        std::string(option);
  else if (error.is(ErrorCode::configuration) || error.is(ErrorCode::not_found))
    error.message += "; name a directory with " + std::string(option) + " that can be made there";
  return with_context(std::move(error), what + path);
}

}  // namespace

Result<void> check_lasting(const objstore::StoreUrl& store, const objstore::StoreUrl& log) {
  if (lasts(store) == lasts(log)) return {};
  if (lasts(log))
    return fail(ErrorCode::invalid_argument,
                "--store " + store.scheme +
                    ":// forgets all records when the broker ends, but --log would remember that "
                    "they were acknowledged; leave --log out, or give a --store that lasts");
  return fail(ErrorCode::invalid_argument,
              "--log " + log.scheme +
                  ":// forgets all topics and acknowledged records when the broker ends, though "
                  "--store keeps their bytes; leave --log out, or give one that lasts");
}

Result<void> Storage::open_store(const objstore::StoreUrl& url) {
  if (url.scheme == "memory") {
    store_ = std::make_unique<objstore::MemoryStore>();
    return {};
  }
  if (url.scheme == "null") {
    store_ = std::make_unique<objstore::NullStore>();
    return {};
  }
  if (RemoteStorage::serves(url)) return open_remote(url, "data", remote_store_);
  auto file = objstore::file_url(url);
  if (!file) return std::unexpected(file.error());
  bool reads_only = access_ == Access::read_only;
  objstore::FileTreeOptions options{file->path, file->sync, reads_only};
  if (file->direct) options.direct_bytes_min = objstore::kFileDirectBytesMin;
  auto tree = objstore::FileTree::open(parts_.files, std::move(options), parts_.random);
  if (!tree) return cannot_open(tree.error(), "opening the store at ", file->path, "--store");
  tree_ = std::move(*tree);
  store_ = std::make_unique<objstore::FileStore>(parts_.loop, parts_.workers, *tree_);
  if (reads_only) return {};
  if (objstore::is_network_file_system(tree_->kind()))
    parts_.logger.warn(
        "store_on_network_file_system",
        {{"path", file->path},
         {"kind", tree_->kind()},
         {"advice",
          "locks and syncs may not be reliable there; use a local disk or an object store"}});
  if (!file->sync)
    parts_.logger.warn("store_does_not_sync",
                       {{"path", file->path},
                        {"advice", "a power loss may lose what was acknowledged (sync=none)"}});
  return {};
}

Result<void> Storage::open_remote(const objstore::StoreUrl& url, std::string label,
                                  std::unique_ptr<RemoteStorage>& remote) {
  auto opened = RemoteStorage::open({parts_.loop, parts_.workers, parts_.files, parts_.random,
                                     parts_.metrics, parts_.logger, parts_.environment},
                                    url, std::move(label));
  if (!opened) return std::unexpected(opened.error());
  remote = std::move(*opened);
  return {};
}

rt::Task<Result<void>> Storage::start(MonoTime deadline) {
  if (remote_store_) WEIR_CO_TRY(co_await remote_store_->start(deadline, access_));
  if (remote_log_) WEIR_CO_TRY(co_await remote_log_->start(deadline, access_));
  co_return Result<void>();
}

rt::Task<void> Storage::cut() {
  if (remote_log_) co_await remote_log_->cut();
  if (remote_store_) co_await remote_store_->cut();
}

rt::Task<void> Storage::stop() {
  if (remote_log_) co_await remote_log_->stop();
  if (remote_store_) co_await remote_store_->stop();
}

Result<void> Storage::open_log(const objstore::StoreUrl& url, bool belongs_to_store) {
  if (url.scheme == "memory") {
    log_ = std::make_unique<commitlog::MemoryLog>();
    return {};
  }
  if (url.scheme == "null")
    return fail(ErrorCode::invalid_argument, "null:// keeps nothing; use memory://");
  if (RemoteStorage::serves(url)) {
    if (!belongs_to_store) WEIR_TRY(open_remote(url, "log", remote_log_));
    RemoteStorage& remote = remote_log_ ? *remote_log_ : *remote_store_;
    log_ = std::make_unique<commitlog::ObjectLog>(remote.store(), parts_.random);
    maintenance_log_ = std::make_unique<commitlog::ObjectLog>(
        remote.of(objstore::RequestClass::maintenance), parts_.random);
    return {};
  }
  auto file = objstore::file_url(url);
  if (!file) return std::unexpected(file.error());
  commitlog::FileLogOptions options;
  options.directory = file->path + "/log/0";
  if (access_ == Access::read_only) {
    log_ = std::make_unique<commitlog::FileLogReader>(
        commitlog::FileLogReader::Parts{parts_.loop, parts_.workers, parts_.files},
        options.directory);
    return {};
  }
  options.sync = file->sync;
  auto directory =
      commitlog::FileLogDirectory::open(parts_.files, options, parts_.random, parts_.logger);
  if (!directory)
    return cannot_open(directory.error(), "opening the commit log at ", options.directory,
                       belongs_to_store ? "--store" : "--log");
  directory_ = std::move(*directory);
  log_ = std::make_unique<commitlog::FileLog>(parts_.loop, parts_.workers, *directory_);
  witness_ = std::make_unique<engine::LockFileWitness>(parts_.loop, parts_.workers, parts_.files,
                                                       file->path + "/.brokers");
  return {};
}

Result<std::unique_ptr<Storage>> Storage::open(Parts parts, const std::string& store_url,
                                               const std::optional<std::string>& log_url) {
  auto storage = std::unique_ptr<Storage>(new Storage(parts));
  auto store = parse(store_url);
  if (!store) return with_context(store.error(), "--store");
  // What is thrown away with null:// still needs an order while the broker runs.
  auto log = log_url ? parse(*log_url) : store->scheme == "null" ? parse("memory://") : *store;
  if (!log) return with_context(log.error(), "--log");
  WEIR_TRY(check_lasting(*store, *log));
  WEIR_TRY(naming(storage->open_store(*store), "--store", store_url));
  WEIR_TRY(naming(storage->open_log(*log, !log_url), log_url ? "--log" : "--store",
                  log_url.value_or(store_url)));
  return storage;
}

Result<std::unique_ptr<Storage>> Storage::open_existing(Parts parts, const std::string& store_url,
                                                        const std::optional<std::string>& log_url) {
  auto storage = std::unique_ptr<Storage>(new Storage(parts));
  storage->access_ = Access::read_only;
  auto store = parse(store_url);
  if (!store) return with_context(store.error(), "--store");
  auto found = is_there(parts.files, *store, "");
  if (!found) return with_context(found.error(), "--store " + cli::mask_secrets(store_url));
  if (!*found)
    return fail(ErrorCode::not_found, "there is no store at " + cli::mask_secrets(store_url) +
                                          "; name the one you mean with --store URL");
  WEIR_TRY(naming(storage->open_store(*store), "--store", store_url));
  auto log = log_url ? parse(*log_url) : *store;
  if (!log) return with_context(log.error(), "--log");
  found = is_there(parts.files, *log, "/log/0");
  if (!found) return with_context(found.error(), "--log");
  if (*found && log->scheme != "null")
    WEIR_TRY(naming(storage->open_log(*log, !log_url), log_url ? "--log" : "--store",
                    log_url.value_or(store_url)));
  return storage;
}

}  // namespace weir::app
