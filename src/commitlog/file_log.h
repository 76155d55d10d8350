// FileLog: the commit log in a directory (`file:///path`), for one loop.
//
// Between a loop, where tasks wait for each other, and the workers, where files are used, an
// operation makes one hop to append or to look, and one to sync or to read. While one syncs, others
// go on, and all that was appended before a sync begins shares it. When another process holds the
// lock, the task pauses on the loop, not in a worker, and gives up as `unavailable` after
// kFileLockWaitMax: a stopped process that holds it must not take our workers with it.
//
// The directory belongs to this log alone: another loop opens its own. Loop, workers and directory
// outlive the log. Tasks start and end on the loop.
#pragma once

#include "commitlog/file_directory.h"
#include "rt/loop.h"
#include "rt/turn.h"
#include "rt/workers.h"

namespace weir::commitlog {

class FileLog final : public CommitLog {
 public:
  FileLog(rt::Loop& loop, rt::Workers& workers, FileLogDirectory& directory)
      : loop_(loop), workers_(workers), directory_(directory), turn_(loop), sync_turn_(loop) {}

  rt::Task<Result<CreateOutcome>> create(Position at, BytesChain entry) override;
  rt::Task<Result<std::optional<SharedBytes>>> read(Position at) override;
  rt::Task<Result<Position>> read_floor() override;
  rt::Task<Result<void>> raise_floor(Position to) override;
  rt::Task<Result<void>> remove(Position first, Position last) override;
  std::size_t item_bytes_max() const override { return kEntryBytesMax; }
  bool guards_floor() const override { return true; }
  std::string describe() const override;
  /// The entries share one block of memory per segment file that was read.
  rt::Task<Result<std::vector<SharedBytes>>> read_many(Position from, std::size_t count,
                                                       std::size_t bytes_max) override;

 private:
  rt::Task<Result<void>> make_durable(FileLogDirectory::Segment segment, std::uint64_t target);
  rt::Task<Result<FileLogDirectory::Run>> locate(Position at, std::size_t count,
                                                 std::size_t bytes_max);
  rt::Task<Result<void>> read_some(Position at, std::size_t count, std::size_t bytes_max,
                                   std::vector<SharedBytes>& entries);

  rt::Loop& loop_;
  rt::Workers& workers_;
  FileLogDirectory& directory_;
  rt::Turn turn_;
  rt::Turn sync_turn_;
};

}  // namespace weir::commitlog
