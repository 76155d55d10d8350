#include "commitlog/commit_log.h"

#include <utility>

namespace weir::commitlog {

rt::Task<Result<std::vector<SharedBytes>>> CommitLog::read_many(Position from, std::size_t count,
                                                                std::size_t bytes_max) {
  std::vector<SharedBytes> entries;
  std::size_t bytes = 0;
  for (Position at = from; entries.size() < count; at = at.next()) {
    Result<std::optional<SharedBytes>> entry = co_await read(at);
    if (!entry) {
      // What was read before the failure is good; the failure returns with the next call.
      if (!entries.empty()) break;
      co_return std::unexpected(std::move(entry).error());
    }
    if (!entry->has_value()) break;
    if (!entries.empty() && bytes + (*entry)->size() > bytes_max) break;
    bytes += (*entry)->size();
    entries.push_back(std::move(**entry));
  }
  co_return entries;
}

}  // namespace weir::commitlog
