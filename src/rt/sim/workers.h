// SimWorkers: the worker pool of a simulated process. Jobs start after a random delay.
#pragma once

#include "rt/sim/jobs.h"
#include "rt/sim/node.h"
#include "rt/workers.h"

namespace weir::rt::sim {

class SimWorkers final : public Workers {
 public:
  explicit SimWorkers(SimNode& node) : node_(node) {}

  void submit(std::move_only_function<void()> work) override {
    SimWorld& world = node_.world();
    Duration delay = 5us + Duration(static_cast<std::int64_t>(world.random().below(100'000)));
    world.after(delay, &node_, [node = &node_, work = std::move(work)]() mutable {
      node->world().jobs().start(*node, std::move(work));
    });
  }

 private:
  SimNode& node_;
};

}  // namespace weir::rt::sim
