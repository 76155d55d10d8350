// FileLogReader: a file log as tools read it: no lock is taken and nothing is written, so a
// read-only mount or a directory of another user will do.
//
// Without the lock, what stands behind the last whole frame of the last segment may be a write that
// is under way, or one that a dead broker left: unless the mark or a later frame says that it was
// durable, it counts as absent. Entries that are not durable yet are returned; a tool relies on
// none of them. docs/formats/file-log.md has the bytes.
//
// One loop; files are read on the workers. Loop, workers and files outlive it.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "commitlog/commit_log.h"
#include "commitlog/file_segment.h"
#include "commitlog/limits.h"
#include "rt/loop.h"
#include "rt/turn.h"
#include "rt/workers.h"

namespace weir::commitlog {

class FileLogReader final : public CommitLog {
 public:
  struct Parts {
    rt::Loop& loop;
    rt::Workers& workers;
    rt::FileSystem& files;
  };
  FileLogReader(Parts parts, std::string directory);

  /// The three that would write: error configuration.
  rt::Task<Result<CreateOutcome>> create(Position at, BytesChain entry) override;
  rt::Task<Result<void>> raise_floor(Position to) override;
  rt::Task<Result<void>> remove(Position first, Position last) override;

  rt::Task<Result<std::optional<SharedBytes>>> read(Position at) override;
  rt::Task<Result<std::vector<SharedBytes>>> read_many(Position from, std::size_t count,
                                                       std::size_t bytes_max) override;
  rt::Task<Result<Position>> read_floor() override;
  std::size_t item_bytes_max() const override { return kEntryBytesMax; }
  bool guards_floor() const override { return true; }
  std::string describe() const override { return "file://" + directory_; }

 private:
  // On the workers.
  Result<std::vector<SharedBytes>> read_some(Position from, std::size_t count,
                                             std::size_t bytes_max);
  Result<bool> find(Position at);
  Result<void> list_segments();
  Result<void> open_segment(Position first);
  Result<void> scan();
  Result<bool> judge_end(Position at);
  Result<SharedBytes> entry_at(Position at);
  Result<Position> floor_now();
  Result<std::size_t> small_file(const char* name, MutableBytes into);
  std::unexpected<Error> damaged(Position at) const;

  Parts parts_;
  std::string directory_;
  rt::Turn turn_;
  /// First positions of the segment files.
  std::vector<Position> segments_;
  /// The one that was read last.
  std::unique_ptr<rt::File> file_;
  std::string path_;
  SegmentIndex index_;
};

}  // namespace weir::commitlog
