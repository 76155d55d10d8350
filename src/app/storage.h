// Storage: the object store and the commit log that a broker's URLs name, opened.
//
// Everything that the two need lives here, for one loop: the store of `--store`, the log of `--log`
// (or, without it, the log that belongs to that store), and on a shared directory the lock files
// that prove a broker's death. Remote stores (s3://, gs://) come with threads, credentials and
// decorators of their own (app/remote_storage.h).
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "app/remote_storage.h"
#include "base/log.h"
#include "base/metrics.h"
#include "base/result.h"
#include "commitlog/commit_log.h"
#include "commitlog/file_directory.h"
#include "engine/lock_file_witness.h"
#include "objstore/file/file_tree.h"
#include "objstore/object_store.h"
#include "objstore/url.h"
#include "rt/files.h"
#include "rt/random.h"
#include "rt/workers.h"

namespace weir::app {

/// After a restart a log and the segments that it names must both be there, or neither: anything
/// else loses what was acknowledged. Errors: invalid_argument, with what to do.
Result<void> check_lasting(const objstore::StoreUrl& store, const objstore::StoreUrl& log);

class Storage {
 public:
  /// All of them outlive the Storage.
  struct Parts {
    rt::Loop& loop;
    rt::Workers& workers;
    rt::FileSystem& files;
    rt::Random& random;
    Metrics& metrics;
    Logger& logger;
    const objstore::Variables& environment;
  };
  /// Blocks; makes no request to a remote store. Errors: invalid_argument (the URL), configuration
  /// (permissions, …), with what to do.
  static Result<std::unique_ptr<Storage>> open(Parts parts, const std::string& store_url,
                                               const std::optional<std::string>& log_url);

  /// For tools: reads only, takes no lock and needs no right to write. Errors: not_found as well,
  /// where there is no store. A missing log is no error: has_log() is false then.
  static Result<std::unique_ptr<Storage>> open_existing(Parts parts, const std::string& store_url,
                                                        const std::optional<std::string>& log_url);

  /// Whether remote stores can be reached and may be used. Before the first request.
  rt::Task<Result<void>> start(MonoTime deadline);
  /// Gives up the requests to remote stores that are under way (RemoteStorage::cut).
  rt::Task<void> cut();
  /// After the last request has been answered.
  rt::Task<void> stop();

  objstore::ObjectStore& store() { return remote_store_ ? remote_store_->store() : *store_; }
  bool has_log() const { return log_ != nullptr; }
  /// The store for requests of a class (objstore/request_gate.h).
  objstore::ObjectStore& store(objstore::RequestClass c) {
    return remote_store_ ? remote_store_->of(c) : *store_;
  }
  commitlog::CommitLog& log() { return *log_; }
  /// The same log; its requests do not hold up those of others.
  commitlog::CommitLog& maintenance_log() { return maintenance_log_ ? *maintenance_log_ : *log_; }
  /// Null where the store can prove no death.
  engine::LockFileWitness* witness() { return witness_.get(); }

 private:
  explicit Storage(Parts parts) : parts_(parts) {}
  Result<void> open_store(const objstore::StoreUrl& url);
  Result<void> open_remote(const objstore::StoreUrl& url, std::string label,
                           std::unique_ptr<RemoteStorage>& remote);
  Result<void> open_log(const objstore::StoreUrl& url, bool belongs_to_store);

  Parts parts_;
  Access access_ = Access::read_write;
  std::unique_ptr<objstore::FileTree> tree_;
  std::unique_ptr<commitlog::FileLogDirectory> directory_;
  /// Null where the store is not remote; then `store_` is set.
  std::unique_ptr<RemoteStorage> remote_store_;
  std::unique_ptr<objstore::ObjectStore> store_;
  /// Null where the log has no remote store of its own.
  std::unique_ptr<RemoteStorage> remote_log_;
  std::unique_ptr<commitlog::CommitLog> log_;
  /// Null where requests have no classes.
  std::unique_ptr<commitlog::CommitLog> maintenance_log_;
  std::unique_ptr<engine::LockFileWitness> witness_;
};

}  // namespace weir::app
