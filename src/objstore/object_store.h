// ObjectStore: the verbs of an object store that weir needs, and nothing that only one vendor has.
//
// Names are '/'-separated keys (objstore/object_name.h). An object is seen whole or not at all, and
// once `put` has answered, every later `get` on any broker sees it. What the caller may conclude
// from an error is fixed for all drivers:
//
//   unavailable, out_of_space, configuration, too_large, invalid_argument   nothing was applied
//   unknown_outcome, timed_out                                  it may be applied, now or much
//   later not_found, already_exists, precondition                     an answer about the object
//   corrupt                                                     the bytes are not what was written
//
// Correctness and progress never depend on the order of a listing, and equal bodies may have equal
// etags (a content hash), so a body that is compared and swapped carries a nonce.
//
// Ownership: a store outlives every task that it handed out. Each driver says in its header which
// loop its tasks end on. Decorators borrow the store they wrap.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "rt/task.h"

namespace weir::objstore {

struct ObjectInfo {
  std::string name;
  std::uint64_t size = 0;
  /// Names these bytes under this name. Empty in a listing where the store would have to read the
  /// object to tell.
  std::string etag;
};

class ObjectStore {
 public:
  virtual ~ObjectStore() = default;

  /// Creates or replaces. Returns the etag, or "" where the store would have to read the body once
  /// more to tell. The parts of `body` may not change until the task ends.
  virtual rt::Task<Result<std::string>> put(std::string name, BytesChain body) = 0;
  /// Creates; `already_exists` if there is one. Returns the etag.
  virtual rt::Task<Result<std::string>> put_if_absent(std::string name, BytesChain body) = 0;
  /// Replaces the object that has `etag`; `precondition` if it has another or is absent. Returns
  /// the new etag.
  virtual rt::Task<Result<std::string>> put_if_match(std::string name, BytesChain body,
                                                     std::string etag) = 0;

  virtual rt::Task<Result<SharedBytes>> get(std::string name) = 0;
  /// Exactly `length` bytes from `offset`; `invalid_argument` if the object ends before.
  virtual rt::Task<Result<SharedBytes>> get_range(std::string name, std::uint64_t offset,
                                                  std::uint64_t length) = 0;
  virtual rt::Task<Result<ObjectInfo>> head(std::string name) = 0;

  struct Page {
    std::vector<ObjectInfo> objects;
    /// Passed to the next call; empty at the end.
    std::string next;
  };
  /// One page of the objects whose names begin with `prefix`, in no order. An object that exists
  /// throughout is listed exactly once. A page may be empty although more follow.
  virtual rt::Task<Result<Page>> list(std::string prefix, std::string continuation) = 0;

  /// Deletes; an absent object is a success. Returns the names that failed, with their errors;
  /// an error of the whole call says nothing about any of them.
  using RemoveFailures = std::vector<std::pair<std::string, Error>>;
  virtual rt::Task<Result<RemoveFailures>> remove(std::vector<std::string> names) = 0;

  /// For logs and messages: "file:///srv/weir", without secrets.
  virtual std::string describe() const = 0;
};

}  // namespace weir::objstore
