// RemoteStorage: the object store behind an s3:// or gs:// URL, with everything that it takes.
//
//   broker's loop: RequestGate → StoreStack → driver   |   thread "store": driver's inner part,
//                                                      |   HTTP client, credentials
//
// Signing, checksums, TLS and parsing happen on a thread of their own, so they cost the broker's
// loop nothing. `start` reaches the bucket and probes it; `stop` ends what is under way.
#pragma once

#include <memory>

#include "base/log.h"
#include "base/metrics.h"
#include "base/result.h"
#include "objstore/object_store.h"
#include "objstore/request_gate.h"
#include "objstore/url.h"
#include "rt/files.h"
#include "rt/random.h"
#include "rt/workers.h"

namespace weir::app {

enum class Access : std::uint8_t { read_only, read_write };

class RemoteStorage {
 public:
  /// All outlive it. `environment` is that of the process.
  struct Parts {
    rt::Loop& loop;
    rt::Workers& workers;
    rt::FileSystem& files;
    rt::Random& random;
    Metrics& metrics;
    Logger& logger;
    const objstore::Variables& environment;
  };
  /// Whether it serves URLs of this scheme.
  static bool serves(const objstore::StoreUrl& url);
  /// Makes no request. `label` names the store in metrics. Errors: invalid_argument (the URL).
  static Result<std::unique_ptr<RemoteStorage>> open(Parts parts, const objstore::StoreUrl& url,
                                                     std::string label);
  ~RemoteStorage();

  objstore::ObjectStore& store();
  objstore::ObjectStore& of(objstore::RequestClass c);
  /// Whether the store can be reached and, for who writes, keeps its promises (objstore/probe.h).
  /// Who reads only writes nothing, and needs no right to. Errors are for people, by `deadline`.
  rt::Task<Result<void>> start(MonoTime deadline, Access access);
  /// Ends the requests that are under way, and refuses later ones: for a broker that must stop
  /// while its store does not answer. Before the end of `stop`.
  rt::Task<void> cut();
  /// After the last request has been answered.
  rt::Task<void> stop();

 private:
  struct Running;
  explicit RemoteStorage(std::unique_ptr<Running> running);
  std::unique_ptr<Running> running_;
};

}  // namespace weir::app
