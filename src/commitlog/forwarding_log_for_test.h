// ForwardingLog: a log for tests that does what another one does, but for what a test overrides.
//
// `read_many` goes through `read`, so an overridden `read` is met by replays too; the floor is
// guarded only where the test says so.
#pragma once

#include <utility>

#include "commitlog/commit_log.h"

namespace weir::commitlog {

class ForwardingLog : public CommitLog {
 public:
  explicit ForwardingLog(CommitLog& inner) : inner_(inner) {}

  rt::Task<Result<CreateOutcome>> create(Position at, BytesChain entry) override {
    return inner_.create(at, std::move(entry));
  }
  rt::Task<Result<std::optional<SharedBytes>>> read(Position at) override {
    return inner_.read(at);
  }
  rt::Task<Result<Position>> read_floor() override { return inner_.read_floor(); }
  rt::Task<Result<void>> raise_floor(Position to) override { return inner_.raise_floor(to); }
  rt::Task<Result<void>> remove(Position first, Position last) override {
    return inner_.remove(first, last);
  }
  std::size_t item_bytes_max() const override { return inner_.item_bytes_max(); }

 protected:
  CommitLog& inner_;
};

}  // namespace weir::commitlog
