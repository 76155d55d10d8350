// SocketStream: one TCP connection.
//
// The socket is shared between the Stream and the operations in flight, so a stream may be closed
// or even destroyed while it is being read: the operation ends with `closed`.
#pragma once

#include <memory>

#include "rt/asio/addresses.h"
#include "rt/asio/descriptor.h"
#include "rt/stream.h"

namespace weir::rt::asio {

struct Socket {
  Socket(AsioLoop& owner, SocketAddress address)
      : loop(owner), peer(address), descriptor(owner), readable(owner), writable(owner) {}

  AsioLoop& loop;
  SocketAddress peer;
  Descriptor descriptor;
  Event readable, writable;
  Readiness reading{readable}, writing{writable};
  /// Operations that succeeded in a row without waiting.
  unsigned direct_reads = 0;
  unsigned direct_writes = 0;
};

class SocketStream final : public Stream {
 public:
  /// Sets the options that every connection has.
  explicit SocketStream(std::shared_ptr<Socket> socket);
  ~SocketStream() override { close(); }

  Task<Result<std::size_t>> read_some(MutableBytes into) override;
  Task<Result<void>> write(std::span<const Bytes> parts) override;
  void close() override;
  Endpoint peer() const override { return socket_->peer.endpoint(); }

 private:
  std::shared_ptr<Socket> socket_;
};

}  // namespace weir::rt::asio
