// AsioNetwork: TCP of this machine.
//
// Operations try the system call first and wait for readiness only when it would block, so a busy
// connection costs one call per operation. Names are resolved on workers, because the system's
// resolver blocks. Connections have no Nagle delay and keep-alive probes.
#pragma once

#include "rt/stream.h"
#include "rt/workers.h"

namespace weir::rt::asio {

/// Thread-safe. All loops that it is given are AsioLoops.
class AsioNetwork final : public Network {
 public:
  /// `resolvers` run name look-ups, seconds long when a name server is dead; give them two threads
  /// of their own.
  explicit AsioNetwork(Workers& resolvers) : resolvers_(resolvers) {}

  /// A host that is neither a literal nor "localhost" is looked up in place: blocks, at start only.
  Result<std::unique_ptr<Listener>> listen(Loop& loop, const Endpoint& at) override;
  Task<Result<std::unique_ptr<Stream>>> connect(Loop& loop, Endpoint to,
                                                MonoTime deadline) override;

 private:
  Workers& resolvers_;
};

}  // namespace weir::rt::asio
