// SimNetwork: the network as one simulated process sees it.
//
// Hosts are named as their nodes are. "localhost", "127.0.0.1", "::1", "" and "*" mean the own
// host; a simulated host has one address.
#pragma once

#include "rt/sim/node.h"
#include "rt/stream.h"

namespace weir::rt::sim {

class SimNetwork final : public Network {
 public:
  explicit SimNetwork(SimNode& node) : node_(node) {}

  Result<std::unique_ptr<Listener>> listen(Loop& loop, const Endpoint& at) override;
  Task<Result<std::unique_ptr<Stream>>> connect(Loop& loop, Endpoint to,
                                                MonoTime deadline) override;

 private:
  SimNode& node_;
};

}  // namespace weir::rt::sim
