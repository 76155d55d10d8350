// ObjectLog: the commit log as one object per entry, over any store with create-if-absent.
//
//   log/{shard}/{position:020}    an entry, created if absent and never replaced
//   log/{shard}/floor             the floor, replaced by if-match; a random nonce in its body makes
//                                 its etag unique even where etags are content hashes
//
// The store decides every race. It sees no chain: a late create may land below the floor (a stray),
// and a removed position reads as absent, so duty e (grace) is the engine's. `remove` lists the
// entries and deletes those in its range, strays included.
//
// Ownership: store and random outlive the log. Tasks end where the store's do; `random` is used on
// the caller's thread, so one ObjectLog belongs to one loop.
#pragma once

#include "commitlog/commit_log.h"
#include "commitlog/limits.h"
#include "objstore/object_store.h"
#include "rt/random.h"

namespace weir::commitlog {

class ObjectLog final : public CommitLog {
 public:
  /// `shard` is "0" for now.
  ObjectLog(objstore::ObjectStore& store, rt::Random& random, std::string shard = "0");

  rt::Task<Result<CreateOutcome>> create(Position at, BytesChain entry) override;
  rt::Task<Result<std::optional<SharedBytes>>> read(Position at) override;
  rt::Task<Result<Position>> read_floor() override;
  /// Error unsupported if the store has no if-match.
  rt::Task<Result<void>> raise_floor(Position to) override;
  rt::Task<Result<void>> remove(Position first, Position last) override;
  std::size_t item_bytes_max() const override { return kEntryBytesMax; }
  bool reads_one_by_one() const override { return true; }
  std::string describe() const override { return store_.describe() + "/" + prefix_; }

 private:
  std::string name_of(Position at) const;
  std::optional<Position> position_of(const std::string& name) const;
  SharedBytes floor_body(Position floor);
  rt::Task<Result<void>> write_floor(Position to);

  objstore::ObjectStore& store_;
  rt::Random& random_;
  std::string prefix_;
};

}  // namespace weir::commitlog
