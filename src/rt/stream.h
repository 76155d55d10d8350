// Stream, Listener, Network: byte streams between processes, real or simulated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/bytes.h"
#include "base/result.h"
#include "rt/loop.h"
#include "rt/task.h"

namespace weir::rt {

/// A host (name or address literal) and a TCP port; port 0 = any, when listening.
struct Endpoint {
  std::string host;
  std::uint16_t port = 0;

  friend auto operator<=>(const Endpoint&, const Endpoint&) = default;
  /// "host:port", IPv6 literals in brackets.
  std::string text() const;
};

/// One connection. Belongs to the loop it was made on. At most one read and one write at a time.
class Stream {
 public:
  virtual ~Stream() = default;
  /// Reads 1 … into.size() bytes; 0 = the peer has ended the stream. Errors: closed, unavailable.
  virtual Task<Result<std::size_t>> read_some(MutableBytes into) = 0;
  /// Writes all parts, in order. The memory must stay valid until the task ends. Errors: closed,
  /// unavailable.
  virtual Task<Result<void>> write(std::span<const Bytes> parts) = 0;
  /// Ends both directions at once; pending and later operations answer `closed`.
  virtual void close() = 0;
  virtual Endpoint peer() const = 0;
};

class Listener {
 public:
  virtual ~Listener() = default;
  /// The next connection, as a stream of `loop` (which may differ from the listener's). Error
  /// closed after close(); unavailable when the process is out of descriptors (try again after a
  /// pause).
  virtual Task<Result<std::unique_ptr<Stream>>> accept(Loop& loop) = 0;
  virtual void close() = 0;
  /// The bound address with the real port.
  virtual Endpoint local() const = 0;
};

class Network {
 public:
  virtual ~Network() = default;
  /// Binds and listens. Host "" or "*" means all addresses of both families; "localhost" binds
  /// 127.0.0.1 and ::1 on one port. Errors: already_exists (the port is in
  /// use), configuration (not ours, no permission), with the address in the message.
  virtual Result<std::unique_ptr<Listener>> listen(Loop& loop, const Endpoint& at) = 0;
  /// Connects, trying each address of the name, until `deadline`. Errors: closed (refused: nobody
  /// listens), unavailable (unreachable, no name server), configuration (no such host), timed_out.
  virtual Task<Result<std::unique_ptr<Stream>>> connect(Loop& loop, Endpoint to,
                                                        MonoTime deadline) = 0;
};

}  // namespace weir::rt
