// S3Store: an ObjectStore over the S3 protocol.
//
// Names become keys below the URL's prefix. Conditional writes are If-None-Match: * and If-Match on
// one PUT, so the store decides every race. Bodies carry their CRC32C, computed before the first
// byte leaves, so that a body that changed meanwhile is refused and not stored.
//
// Plain puts of large objects go up in parts (multipart.h). Objects under the prefix whose names
// are none of ours (a console's folder markers) are not listed.
//
// Called on `loop`; the work (signing, checksums, XML) is done on the client's loop, and tasks end
// on `loop`. Do not destroy a task that has begun. It repeats nothing, see connection.h.
#pragma once

#include <memory>

#include "objstore/object_store.h"
#include "objstore/pressure.h"
#include "objstore/s3/connection.h"
#include "objstore/s3/express_session.h"

namespace weir::objstore::s3 {

class S3Store final : public ObjectStore {
 public:
  /// All outlive it, and so do the tasks of the client's loop.
  struct Parts {
    rt::Loop& loop;
    http::Client& client;
    aws::CredentialsProvider& credentials;
    PressureSignal& pressure;
  };
  S3Store(Parts parts, S3Options options);

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

  /// For the start of a broker: whether bucket, region, credentials, clock and network are right,
  /// by one listing, repeated until `deadline` while the fault may pass. The error is for people.
  rt::Task<Result<void>> reach(MonoTime deadline);
  /// Ends multipart uploads under the prefix that are older than a day; the number of them.
  rt::Task<Result<std::size_t>> abort_stale_uploads();

 private:
  struct Write {
    Call call = Call::put;
    std::string name;
    BytesChain body;
    std::string etag = {};
  };
  struct Range {
    std::string name;
    std::uint64_t offset = 0;
    std::uint64_t length = 0;
  };
  /// Runs `work` on the client's loop and comes home with its result.
  template <class T>
  rt::Task<Result<T>> travel(rt::Task<Result<T>> work, Trip& trip);

  rt::Task<Result<std::string>> write(Write write);
  rt::Task<Result<std::string>> write_there(Write write, Trip& trip);
  rt::Task<Result<SharedBytes>> get_there(std::string name, Trip& trip);
  rt::Task<Result<SharedBytes>> range_there(Range range, Trip& trip);
  rt::Task<Result<ObjectInfo>> head_there(std::string name, Trip& trip);
  struct Listing {
    std::string prefix;
    std::string continuation;
    Duration timeout;
  };
  rt::Task<Result<Page>> list_in(Listing listing);
  rt::Task<Result<Page>> list_there(Listing listing, Trip& trip);
  rt::Task<Result<RemoveFailures>> remove_there(std::vector<std::string> names, Trip& trip);
  rt::Task<Result<void>> remove_some(std::vector<std::string> keys, RemoveFailures& failures,
                                     Trip& trip);

  std::string key_of(std::string_view name) const;
  Result<void> check(std::string_view name) const;

  rt::Loop& loop_;
  PressureSignal& pressure_;
  S3Options options_;
  /// What is put before a name: "prefix/" or nothing.
  std::string key_prefix_;
  std::unique_ptr<ExpressSession> session_;
  Connection connection_;
};

template <class T>
rt::Task<Result<T>> S3Store::travel(rt::Task<Result<T>> work, Trip& trip) {
  co_await rt::resume_on(connection_.client().loop());
  Result<T> result = co_await std::move(work);
  co_await rt::resume_on(loop_);
  if (trip.throttled) pressure_.throttled(trip.retry_after);
  co_return result;
}

}  // namespace weir::objstore::s3
