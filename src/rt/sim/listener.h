// SimListener: connections that arrive at one port of a simulated host.
#pragma once

#include <deque>
#include <memory>

#include "rt/event.h"
#include "rt/sim/connection.h"
#include "rt/sim/fabric.h"
#include "rt/sim/node.h"
#include "rt/stream.h"

namespace weir::rt::sim {

struct ListenerState {
  explicit ListenerState(SimLoop& loop) : node(&loop.node()), incoming(loop) {}
  SimNode* node;
  Event incoming;
  /// Connected, not accepted; at most kListenBacklog.
  std::deque<std::shared_ptr<Connection>> waiting;
  bool open = true;
};

class SimListener final : public Listener {
 public:
  SimListener(std::shared_ptr<ListenerState> state, Endpoint local)
      : state_(std::move(state)), local_(std::move(local)) {}
  ~SimListener() override { close(); }
  SimListener(const SimListener&) = delete;
  SimListener& operator=(const SimListener&) = delete;

  Task<Result<std::unique_ptr<Stream>>> accept(Loop& loop) override;
  void close() override;
  Endpoint local() const override { return local_; }

 private:
  std::shared_ptr<ListenerState> state_;
  Endpoint local_;
};

}  // namespace weir::rt::sim
