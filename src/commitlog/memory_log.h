// MemoryLog: the commit log in memory, for tests, simulation and throw-away brokers (`memory://`).
//
// Thread-safe; tasks never suspend, so it needs no loop and several brokers may share one.
#pragma once

#include <deque>
#include <mutex>

#include "commitlog/commit_log.h"
#include "commitlog/limits.h"

namespace weir::commitlog {

class MemoryLog final : public CommitLog {
 public:
  rt::Task<Result<CreateOutcome>> create(Position at, BytesChain entry) override;
  rt::Task<Result<std::optional<SharedBytes>>> read(Position at) override;
  rt::Task<Result<Position>> read_floor() override;
  rt::Task<Result<void>> raise_floor(Position to) override;
  rt::Task<Result<void>> remove(Position first, Position last) override;
  std::size_t item_bytes_max() const override { return kEntryBytesMax; }
  bool guards_floor() const override { return true; }
  std::string describe() const override { return "memory://"; }

 private:
  Position next() const { return Position(first_.value + entries_.size()); }
  std::unexpected<Error> below_floor(Position at) const;

  std::mutex mutex_;
  Position floor_;
  Position first_;  // of what is kept
  std::deque<SharedBytes> entries_;
};

}  // namespace weir::commitlog
