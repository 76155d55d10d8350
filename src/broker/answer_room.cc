#include "broker/answer_room.h"

#include "broker/limits.h"
#include "broker/memory_budget.h"

namespace weir::broker {

rt::Task<bool> AnswerRoom::take(std::size_t bytes) {
  unyielded_ += bytes;
  if (unyielded_ >= kAnswerSliceBytes) {
    unyielded_ = 0;
    co_await rt::yield(broker_.loop());
  }
  if (full_) co_return false;
  if (uncounted_ + bytes <= kUncountedAnswerBytes) {
    uncounted_ += bytes;
    co_return true;
  }
  full_ = !co_await reserve(bytes);
  co_return !full_;
}

rt::Task<bool> AnswerRoom::reserve(std::size_t bytes) {
  if (context_.connection.cancelled) co_return false;
  SharedPool& out = broker_.memory().out;
  bool got = out.try_reserve(bytes);
  if (!got && hold_.empty())
    got = co_await out.reserve(broker_.loop(), bytes, broker_.loop().now() + kAnswerRoomWaitMax);
  if (got) hold_.add(out.pool(), bytes);
  co_return got;
}

std::string AnswerRoom::refusal(std::string_view what) const {
  return "the answer would exceed the " +
         std::to_string(broker_.memory().out.pool().bytes_max() >> 10) +
         " KiB of memory that this broker has for answers, or they are taken by others just now: "
         "ask for fewer " +
         std::string(what) + " at once, ask again, or give the broker more with --memory";
}

}  // namespace weir::broker
