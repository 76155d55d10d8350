#include "engine/log_proof.h"

#include <algorithm>

namespace weir::engine {

rt::Task<Result<bool>> LogProof::counts(Position at) {
  if (log_.guards_floor()) co_return true;
  MonoTime now = loop_.now();
  if (last_ && now - *last_ < grace_ / 2) co_return true;
  auto floor = co_await log_.read_floor();
  ++floor_reads_;
  if (!floor) co_return std::unexpected(floor.error());
  if (*floor > at) co_return false;
  proved_since(now);
  co_return true;
}

void LogProof::proved_since(MonoTime started) {
  last_ = last_ ? std::max(*last_, started) : started;
}

}  // namespace weir::engine
