// Pacer: keeps maintenance in the background.
//
// Two token buckets, requests and bytes per second, of all jobs of this broker together; and while
// `busy` says that producers or tail readers wait for the store, a job gives way, though not for
// ever: without maintenance the cluster would slow down for good. Used on the engine's loop.
#pragma once

#include <cstdint>
#include <functional>

#include "base/time.h"
#include "rt/loop.h"
#include "rt/task.h"

namespace weir::engine {

struct PacerRates {
  std::uint64_t requests_per_second = 1;
  std::uint64_t bytes_per_second = 1;
};

class Pacer {
 public:
  Pacer(rt::Loop& loop, PacerRates rates, std::function<bool()> busy)
      : loop_(loop), rates_(rates), busy_(std::move(busy)) {}

  /// Waits until one request that moves `bytes` may start.
  rt::Task<void> take(std::uint64_t bytes);
  /// Time that jobs have waited here.
  Duration waited() const { return waited_; }

 private:
  rt::Loop& loop_;
  PacerRates rates_;
  std::function<bool()> busy_;
  /// The next request may start then.
  MonoTime free_at_{};
  Duration waited_{};
};

}  // namespace weir::engine
