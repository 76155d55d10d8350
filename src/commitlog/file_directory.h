// FileLogDirectory: the commit log as files that several brokers of one machine append to, with
// blocking calls.
//
// The problem: one fdatasync per entry (an object per entry costs a file, a link and syncs of two
// directories), while nothing that a reader saw may vanish in a power loss, and writers may be
// killed between any two calls. docs/adr/0001-file-log-layout.md has the reasons, and
// docs/formats/file-log.md the bytes. The rules:
//
//  1. Appending, cutting, and looking at what others appended happen under an exclusive flock on
//  `lock`.
//     It is held for page cache work only, never during the sync of an entry; hence a stopped
//     broker rarely holds up the others. A free lock means that no writer is half way.
//  2. Under the lock, bytes that are no whole frame are a torn write of somebody who died, and are
//     cut; unless the mark or a later frame says that they were durable: then it is corruption.
//  3. An entry is answered ("won", or by a read) only once it and everything before it in the file
//     is durable *by our own evidence*: a sync of ours that succeeded, or the mark of another
//     broker's sync that succeeded. A sync vouches only for bytes that this process wrote through
//     the same open file since the last failure. Whatever else lies there is read, verified and
//     written again first: the page cache may hold, as clean, bytes whose write-back failed.
//  4. A segment is sealed and durable before its successor is made. The last segment is never
//     removed, so the tail is always known.
//  5. What we append to and what proves an absence is what the paths lead to *now*: open files live
//     on when the directory is removed or replaced, and would swallow acknowledged entries. `lock`
//     is looked at under the lock and after each sync, the last segment at each append and each
//     proof of absence. Error not_found then, and the engine halts.
//
// One user: FileLog, which sees to it that functions marked "turn" run one at a time and that there
// is one `sync` at a time. Those marked "free" may run beside anything. All of them block. Any
// number of FileLogDirectory objects, in one process or many, may share one directory. `files` and
// `logger` outlive it.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/log.h"
#include "commitlog/commit_log.h"
#include "commitlog/file_records.h"
#include "commitlog/file_segment.h"
#include "commitlog/limits.h"
#include "rt/files.h"
#include "rt/random.h"

namespace weir::commitlog {

struct FileLogOptions {
  /// `{root}/log/{shard}`; made if it is missing.
  std::string directory;
  /// False: nothing is synced; a power loss may lose or tear what was acknowledged.
  bool sync = true;
  std::uint64_t segment_bytes_target = kFileSegmentBytesTarget;
  std::uint32_t segment_entries_max = kFileSegmentEntriesMax;
};

class FileLogDirectory {
 public:
  using Segment = std::shared_ptr<FileSegment>;

  /// `random` is used only here.
  static Result<std::unique_ptr<FileLogDirectory>> open(rt::FileSystem& files,
                                                        FileLogOptions options, rt::Random& random,
                                                        Logger& logger);
  const FileLogOptions& options() const { return options_; }

  struct CreateStep {
    enum class Kind : unsigned char {
      busy,        // another process holds the lock: nothing was done, try again after a pause
      exists,      // the position is taken
      appended,    // won, once the segment is durable up to `end`
      sync_first,  // nothing was created yet: make the segment durable up to `end`, try again
      unknown,     // the entry may be in the file
    };
    Kind kind = Kind::busy;
    Segment segment;
    std::uint64_t end = 0;
  };
  /// turn. Errors as CommitLog::create.
  Result<CreateStep> create_step(Position at, const BytesChain& entry);

  /// A stretch of entries in one segment. They may be handed out once the segment is durable up to
  /// the last of `ends`.
  struct Run {
    bool busy = false;
    Segment segment;  // null: absent (or busy)
    Position first;
    SegmentSalt salt;
    std::uint64_t begin = 0;
    std::vector<std::uint64_t> ends;  // of the frames
  };
  /// turn. Up to `count` entries from `at`, cut before the one (but the first) that exceeds
  /// `bytes_max`.
  Result<Run> locate(Position at, std::size_t count, std::size_t bytes_max);
  /// turn. Whether `locate` would need no file call.
  bool knows(Position at) const;
  /// free. Appends the entries of a run, verified.
  static Result<void> read_run(const Run& run, std::vector<SharedBytes>& entries);
  /// turn, no file call. After read_run found something else than the index says.
  static void doubt(FileSegment& segment) { segment.doubtful = true; }

  struct SyncPlan {
    Segment segment;
    Position first;
    SegmentSalt salt;
    std::uint64_t durable_end = 0;
    std::uint64_t own_begin = 0;
    std::uint64_t end = 0;
    bool name_durable = false;
    bool is_tail = false;
  };
  /// free, no file call.
  bool is_durable(const FileSegment& segment, std::uint64_t target) const;
  /// turn, no file call.
  SyncPlan plan_sync(const Segment& segment) const;
  /// free, but one at a time: an error is reported to one of two concurrent callers only.
  Result<void> sync(const SyncPlan& plan);
  /// turn, no file call. Before the next plan.
  void finish_sync(const SyncPlan& plan, bool succeeded);

  /// free
  Result<Position> read_floor();
  /// turn. False: another process holds the lock.
  Result<bool> try_raise_floor(Position to);
  Result<bool> try_remove(Position first, Position last);

 private:
  FileLogDirectory(rt::FileSystem& files, FileLogOptions options, std::uint64_t salt_seed,
                   Logger& logger)
      : files_(files), options_(std::move(options)), salts_(salt_seed), logger_(logger) {}

  /// Unlocks at its end.
  class HeldLock {
   public:
    explicit HeldLock(rt::File& file) : file_(&file) {}
    HeldLock(HeldLock&& other) noexcept : file_(std::exchange(other.file_, nullptr)) {}
    HeldLock& operator=(HeldLock&&) = delete;
    ~HeldLock() {
      if (file_) std::ignore = file_->unlock();
    }

   private:
    rt::File* file_;
  };

  // file_directory_gone.cc
  /// Error not_found, with what to do, unless the path still leads to `file`.
  Result<void> check_named(rt::File& file, const std::string& name) const;
  Result<void> check_mark();

  // file_directory.cc; under the lock
  Result<std::optional<HeldLock>> try_lock();
  Result<void> refresh();
  Result<void> first_look();
  Result<void> list_segments();
  Result<void> open_tail(FileSegment& segment);
  Result<bool> find_successor(FileSegment& tail);
  Result<void> take_in(FileSegment& tail, std::uint64_t size);
  Result<void> settle_damage(FileSegment& tail, std::uint64_t size);
  Segment add_segment(Position first);
  Segment tail() const { return segments_.empty() ? nullptr : segments_.rbegin()->second; }
  Position next_position() const;
  std::string path_of(const std::string& file) const { return options_.directory + "/" + file; }

  // file_directory_sync.cc
  Result<void> rewrite(FileSegment& segment, SegmentSalt salt, std::uint64_t begin,
                       std::uint64_t end);
  void use_mark(FileSegment& segment);
  std::optional<Mark> read_mark();

  // file_directory_create.cc; under the lock
  Result<CreateStep> create_locked(Position at, const BytesChain& entry);
  Result<void> append(FileSegment& tail, FrameKind kind, const BytesChain& payload);
  Result<void> begin_segment(Position first);
  bool is_full(const FileSegment& tail, std::size_t entry_bytes) const;

  // file_directory_read.cc
  /// False: another process holds the lock.
  Result<bool> look_for(Position at);
  Result<Segment> loaded_segment(Position at);
  Result<void> load_segment(FileSegment& segment, Position successor);
  void unload_segments();
  std::unexpected<Error> gone(Position at);

  rt::FileSystem& files_;
  const FileLogOptions options_;
  rt::SeededRandom salts_;
  Logger& logger_;
  std::unique_ptr<rt::File> lock_file_;
  std::unique_ptr<rt::File> mark_file_;
  bool listed_ = false;
  /// By first position. All but the last are sealed, durable, and loaded when needed.
  std::map<Position, Segment> segments_;
};

}  // namespace weir::commitlog
