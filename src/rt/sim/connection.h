// Connection: the two directions of one simulated TCP connection, and the two streams at its ends.
//
// Bytes travel in pieces that keep their order. What is under way and what lies unread at the
// receiver together have a limit, so a reader that stops reading stops its writer. An end and a
// reset travel like bytes; what had arrived before a reset can still be read. While a link is cut,
// pieces wait and arrive after it is healed.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "rt/event.h"
#include "rt/sim/node.h"
#include "rt/stream.h"

namespace weir::rt::sim {

class SimFabric;

/// Which end: 0 connected, 1 accepted. Pipe i carries what end i writes.
using Side = unsigned;

struct Chunk {
  enum class Kind : unsigned char { data, end, reset };
  Kind kind = Kind::data;
  MonoTime arrives;
  std::vector<std::byte> bytes;
};

struct Pipe {
  std::deque<Chunk> under_way;
  std::size_t bytes_under_way = 0;
  std::vector<std::byte> arrived;
  /// Of `arrived`, already read.
  std::size_t taken = 0;
  bool ended = false;
  bool reset = false;
  /// When the link is free for the next piece, and when the last one arrives.
  MonoTime free_at{};
  MonoTime last_arrival{};

  std::size_t unread() const { return arrived.size() - taken; }
  std::size_t held() const { return bytes_under_way + unread(); }
};

/// One end, as soon as a stream holds it.
struct End {
  explicit End(SimLoop& owner) : loop(owner), readable(owner), writable(owner) {}
  SimLoop& loop;
  Event readable, writable;
};

struct Connection : std::enable_shared_from_this<Connection> {
  Connection(SimFabric& owner, SimNode& client, SimNode& server)
      : fabric(owner), nodes{&client, &server} {}

  /// Puts a piece on its way from end `from`.
  void send(Side from, Chunk::Kind kind, std::vector<std::byte> bytes);
  /// Takes in at the other end what has arrived by now.
  void deliver(Side from);
  /// This end is done with both directions.
  void close(Side side, bool abruptly);
  void wake(Side side);

  SimFabric& fabric;
  SimNode* nodes[2];
  Endpoint names[2];
  Pipe pipes[2];
  std::unique_ptr<End> ends[2];
  bool closed[2] = {false, false};
};

class SimStream final : public Stream {
 public:
  /// Makes the end belong to `loop`.
  SimStream(std::shared_ptr<Connection> connection, Side side, SimLoop& loop);
  ~SimStream() override { close(); }
  SimStream(const SimStream&) = delete;
  SimStream& operator=(const SimStream&) = delete;

  Task<Result<std::size_t>> read_some(MutableBytes into) override;
  Task<Result<void>> write(std::span<const Bytes> parts) override;
  void close() override;
  Endpoint peer() const override { return connection_->names[1 - side_]; }

 private:
  std::shared_ptr<Connection> connection_;
  Side side_;
};

}  // namespace weir::rt::sim
