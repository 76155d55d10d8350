// Rule 5 of file_directory.h: the directory that we have open is the one that the path leads to,
// and nobody took away what tells a torn write from a lost one.
#include <algorithm>

#include "commitlog/file_directory.h"

namespace weir::commitlog {

Result<void> FileLogDirectory::check_named(rt::File& file, const std::string& name) const {
  Result<bool> named = file.is_named();
  if (!named) return with_context(std::move(named).error(), "file log");
  if (*named) return {};
  return fail(ErrorCode::not_found,
              "file log " + options_.directory + ": " + name +
                  " was removed or replaced under this broker; what it still has open is no longer "
                  "the store. Stop all brokers of this directory, put the directory back as it was "
                  "(or accept what is there now), and start them again");
}

namespace {

/// Neither written whole nor empty. Read more than once, for another process may be writing it.
bool is_unreadable_mark(rt::File& file) {
  constexpr int kReads = 3;
  for (int i = 0; i < kReads; ++i) {
    RecordBytes bytes{};
    Result<std::size_t> got = file.read_at(0, bytes);
    if (!got || *got == 0 || (*got == bytes.size() && decode_mark(bytes))) return false;
  }
  return true;
}

}  // namespace

// Open makes the mark, and its name durable, before any segment can be made. So a missing one was
// taken away, and with it the knowledge of how far the log was durable: a log that was cut would
// pass for one with a torn end. One that cannot be read may be what a power loss left of a write.
Result<void> FileLogDirectory::check_mark() {
  if (!options_.sync) return {};  // Without syncs a power loss may take the name, too.
  Result<std::unique_ptr<rt::File>> mark = files_.open(path_of("mark"), rt::OpenMode::read);
  if (mark && is_unreadable_mark(**mark))
    logger_.warn("file_log_mark_unreadable",
                 {{"file", path_of("mark")},
                  {"advice",
                   "it says how far the log was durable; if this was no power loss, compare the "
                   "log with a copy, for an end that was cut off goes unnoticed now"}});
  if (mark || !mark.error().is(ErrorCode::not_found)) return {};
  Result<std::vector<rt::FileSystem::Item>> items = files_.list(options_.directory);
  if (!items) return with_context(std::move(items).error(), "file log");
  bool any = std::ranges::any_of(*items, [](const rt::FileSystem::Item& item) {
    return position_of_segment_file(item.name).has_value();
  });
  if (!any) return {};
  return fail(ErrorCode::configuration,
              "file log " + options_.directory +
                  " has segment files but no file `mark`, which says how far they were durable; it "
                  "was deleted, or left out of a copy. Put the whole directory back from one copy. "
                  "If the segment files are certainly whole, make an empty file " +
                  path_of("mark") + " and start again");
}

}  // namespace weir::commitlog
