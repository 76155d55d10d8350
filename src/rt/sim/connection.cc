#include "rt/sim/connection.h"

#include <algorithm>

#include "rt/sim/fabric.h"
#include "rt/sim/limits.h"
#include "rt/sim/world.h"

namespace weir::rt::sim {

namespace {

std::unexpected<Error> closed_error(const char* why) {
  return fail(ErrorCode::closed, std::string("connection closed") + why);
}

/// Takes between one and `into.size()` bytes; something has arrived.
std::size_t take(Connection& connection, Pipe& pipe, MutableBytes into) {
  std::size_t count = std::min(into.size(), pipe.unread());
  // A stream has no message boundaries, and every reader must bear that.
  Random& random = connection.fabric.world().random();
  if (random.below(2) == 0) count = 1 + random.below(count);
  std::memcpy(into.data(), Bytes(pipe.arrived).subspan(pipe.taken).data(), count);
  pipe.taken += count;
  if (pipe.unread() == 0) {
    pipe.arrived.clear();
    pipe.taken = 0;
  }
  return count;
}

Task<Result<std::size_t>> read_from(std::shared_ptr<Connection> connection, Side side,
                                    MutableBytes into) {
  Pipe& pipe = connection->pipes[1 - side];
  End& end = *connection->ends[side];
  while (!connection->closed[side]) {
    if (pipe.unread() > 0) {
      std::size_t count = take(*connection, pipe, into);
      if (End* writer = connection->ends[1 - side].get()) writer->writable.notify_all();
      co_return count;
    }
    if (pipe.reset) co_return closed_error(" by peer");
    if (pipe.ended) co_return std::size_t{0};
    // Without a deadline: `close` ends it.
    co_await end.readable.wait();
  }
  co_return closed_error("");
}

/// Cuts the next piece, of at most `room` bytes, from what is left of `parts`.
std::vector<std::byte> cut(std::span<const Bytes>& parts, Bytes& first, std::size_t room) {
  std::vector<std::byte> piece;
  while (piece.size() < room) {
    if (first.empty()) {
      if (parts.empty()) break;
      first = parts.front();
      parts = parts.subspan(1);
      continue;
    }
    Bytes next = first.first(std::min(first.size(), room - piece.size()));
    piece.insert(piece.end(), next.begin(), next.end());
    first = first.subspan(next.size());
  }
  return piece;
}

Task<Result<void>> write_to(std::shared_ptr<Connection> connection, Side side,
                            std::span<const Bytes> parts) {
  Pipe& pipe = connection->pipes[side];
  End& end = *connection->ends[side];
  Bytes first;
  while (!connection->closed[side]) {
    // A reset that arrives ends our writing too.
    if (connection->pipes[1 - side].reset) co_return closed_error(" by peer");
    std::size_t room = std::min(kPipeBytesMax - pipe.held(), kChunkBytesMax);
    if (room > 0) {
      std::vector<std::byte> piece = cut(parts, first, room);
      if (piece.empty()) co_return Result<void>{};
      connection->send(side, Chunk::Kind::data, std::move(piece));
      continue;
    }
    // Without a deadline: `close` ends it.
    co_await end.writable.wait();
  }
  co_return closed_error("");
}

}  // namespace

void Connection::send(Side from, Chunk::Kind kind, std::vector<std::byte> bytes) {
  Pipe& pipe = pipes[from];
  const std::string& source = nodes[from]->host();
  const std::string& target = nodes[1 - from]->host();
  SimWorld& world = fabric.world();
  pipe.free_at =
      std::max(pipe.free_at, world.now()) + fabric.sending_time(source, target, bytes.size());
  pipe.last_arrival =
      std::max(pipe.last_arrival, pipe.free_at + fabric.draw_latency(source, target));
  pipe.bytes_under_way += bytes.size();
  pipe.under_way.push_back({kind, pipe.last_arrival, std::move(bytes)});
  world.at(pipe.last_arrival, nullptr, [self = shared_from_this(), from] { self->deliver(from); });
}

void Connection::deliver(Side from) {
  Pipe& pipe = pipes[from];
  Side to = 1 - from;
  if (fabric.is_blocked(nodes[from]->host(), nodes[to]->host())) return;
  bool news = false;
  while (!pipe.under_way.empty() && pipe.under_way.front().arrives <= fabric.world().now()) {
    Chunk chunk = std::move(pipe.under_way.front());
    pipe.under_way.pop_front();
    pipe.bytes_under_way -= chunk.bytes.size();
    news = true;
    switch (chunk.kind) {
      case Chunk::Kind::data:
        if (closed[to]) {
          // Nobody is there any more: a reset goes back, once.
          if (!pipes[to].ended && !pipes[to].reset) send(to, Chunk::Kind::reset, {});
          break;
        }
        pipe.arrived.insert(pipe.arrived.end(), chunk.bytes.begin(), chunk.bytes.end());
        break;
      case Chunk::Kind::end: pipe.ended = true; break;
      case Chunk::Kind::reset: pipe.reset = true; break;
    }
  }
  if (news) wake(to);
  if (news) wake(from);
}

void Connection::wake(Side side) {
  if (ends[side] == nullptr || !nodes[side]->alive()) return;
  ends[side]->readable.notify_all();
  ends[side]->writable.notify_all();
}

void Connection::close(Side side, bool abruptly) {
  if (closed[side]) return;
  closed[side] = true;
  if (abruptly) {
    // What was on its way is lost with the sender's memory.
    pipes[side].under_way.clear();
    pipes[side].bytes_under_way = 0;
  }
  // As TCP does: unread bytes turn an end into a reset.
  bool unread = pipes[1 - side].held() > 0;
  send(side, abruptly || unread ? Chunk::Kind::reset : Chunk::Kind::end, {});
  wake(side);
}

SimStream::SimStream(std::shared_ptr<Connection> connection, Side side, SimLoop& loop)
    : connection_(std::move(connection)), side_(side) {
  connection_->ends[side] = std::make_unique<End>(loop);
}

Task<Result<std::size_t>> SimStream::read_some(MutableBytes into) {
  ENSURE(!into.empty());
  return read_from(connection_, side_, into);
}

Task<Result<void>> SimStream::write(std::span<const Bytes> parts) {
  return write_to(connection_, side_, parts);
}

void SimStream::close() { connection_->close(side_, false); }

}  // namespace weir::rt::sim
