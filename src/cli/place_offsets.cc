// From places to offsets, by asking the partition's leader.
#include "cli/stream_commands.h"

namespace weir::cli {

rt::Task<Result<Offset>> offset_of(Session& session, client::Consumer& consumer,
                                   client::TopicPartition at, Place place) {
  MonoTime deadline = session.deadline();
  switch (place.kind) {
    case Place::Kind::offset: co_return Offset(place.value);
    case Place::Kind::beginning:
      co_return co_await consumer.find_offset(at, client::kEarliestTimestamp, deadline);
    case Place::Kind::end:
      co_return co_await consumer.find_offset(at, client::kLatestTimestamp, deadline);
    case Place::Kind::before_end: {
      Result<Offset> end = co_await consumer.find_offset(at, client::kLatestTimestamp, deadline);
      if (!end) co_return end;
      Result<Offset> start =
          co_await consumer.find_offset(at, client::kEarliestTimestamp, deadline);
      if (!start) co_return start;
      co_return Offset(std::max(start->value, end->value - place.value));
    }
    case Place::Kind::time: {
      Result<Offset> found = co_await consumer.find_offset(at, place.value, deadline);
      if (!found || found->value >= 0) co_return found;
      // No record is that late: the place is the end.
      co_return co_await consumer.find_offset(at, client::kLatestTimestamp, deadline);
    }
  }
  ENSURE(false);
}

}  // namespace weir::cli
