// GcsStore: an ObjectStore over the JSON API of Google Cloud Storage.
//
// An etag is the object's generation, which no other bytes ever have, also not equal ones.
// Conditional writes are ifGenerationMatch on one upload, 0 for "absent", so the store decides
// every race. A body travels with its CRC32C in front of it (multipart/related), so that one that
// changed meanwhile is refused and not stored. Writes of one name are kept a second apart, as the
// store demands. Deletions go one by one, a bounded number beside each other: they are free, and
// batches of the JSON API save nothing but connections.
//
// Objects under the prefix whose names are none of ours are not listed.
//
// Called on `loop`; the work is done on the client's loop, and tasks end on `loop`. Do not destroy
// a task that has begun. It repeats nothing.
#pragma once

#include "http/client.h"
#include "objstore/gcs/answer_error.h"
#include "objstore/gcs/gcs_options.h"
#include "objstore/gcs/token.h"
#include "objstore/gcs/write_pace.h"
#include "objstore/object_store.h"
#include "objstore/pressure.h"
#include "rt/scope.h"

namespace weir::objstore::gcs {

class GcsStore final : public ObjectStore {
 public:
  /// All outlive it, and so do the tasks of the client's loop.
  struct Parts {
    rt::Loop& loop;
    http::Client& client;
    /// Null: requests are sent without a token.
    Tokens* tokens;
    PressureSignal& pressure;
  };
  GcsStore(Parts parts, GcsOptions options);

  rt::Task<Result<std::string>> put(std::string name, BytesChain body) override;
  rt::Task<Result<std::string>> put_if_absent(std::string name, BytesChain body) override;
  rt::Task<Result<std::string>> put_if_match(std::string name, BytesChain body,
                                             std::string etag) override;
  rt::Task<Result<SharedBytes>> get(std::string name) override;
  rt::Task<Result<SharedBytes>> get_range(std::string name, std::uint64_t offset,
                                          std::uint64_t length) override;
  rt::Task<Result<ObjectInfo>> head(std::string name) override;
  rt::Task<Result<Page>> list(std::string prefix, std::string continuation) override;
  rt::Task<Result<RemoveFailures>> remove(std::vector<std::string> names) override;
  std::string describe() const override { return options_.describe(); }

 private:
  /// What a visit to the store found out besides its result; told at home.
  struct Trip {
    bool throttled = false;
    std::optional<Duration> retry_after;
  };
  struct Ask {
    Verb verb = Verb::get;
    http::ClientRequest request;
  };
  struct Write {
    Verb verb = Verb::put;
    std::string name;
    BytesChain body;
    /// Of ifGenerationMatch; empty = no condition.
    std::string generation;
  };
  /// Runs `work` on the client's loop and comes home with its result.
  template <class T>
  rt::Task<Result<T>> travel(rt::Task<Result<T>> work, Trip& trip);
  /// An answer of status 200, 204 or 206, or the error that the answer stands for.
  rt::Task<Result<http::ClientResponse>> send(Ask ask, Trip& trip);

  rt::Task<Result<std::string>> write(Write write);
  rt::Task<Result<std::string>> write_there(Write write, Trip& trip);
  rt::Task<Result<SharedBytes>> get_there(std::string name, Trip& trip);
  rt::Task<Result<SharedBytes>> range_there(std::string name, std::uint64_t offset,
                                            std::uint64_t length, Trip& trip);
  rt::Task<Result<ObjectInfo>> head_there(std::string name, Trip& trip);
  rt::Task<Result<Page>> list_there(std::string prefix, std::string continuation, Trip& trip);
  rt::Task<Result<RemoveFailures>> remove_there(std::vector<std::string> names, Trip& trip);
  /// Takes names from the back of the list until there are none.
  rt::Task<void> remove_some(std::vector<std::string>& names, RemoveFailures& failures, Trip& trip);
  rt::Task<Result<void>> remove_one(const std::string& name, Trip& trip);

  Result<void> check(std::string_view name) const;
  std::string object_url(std::string_view name) const;

  Parts parts_;
  GcsOptions options_;
  /// Empty, or with a slash at its end.
  std::string key_prefix_;
  std::string bucket_url_;
  std::string upload_url_;
  WritePace pace_;
};

}  // namespace weir::objstore::gcs
