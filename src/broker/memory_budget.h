// MemoryBudget: how `--memory` is divided (docs/design.md, 15), and waiting for a share of it.
//
// in: request frames, from the length word until the last slice of them is gone; 3 % more are kept
// for small requests that are no Produce, so that heartbeats, fetches and admin requests pass while
// producers wait. flush: batches waiting for an upload. cache: segments and blocks for readers.
// out: answers until they are written. decode: records of produced batches where a topic demands
// that they are looked into; a small batch may unfold a thousandfold. What is left, 7 %, is for
// state and sessions.
//
// Outlives every Buffer that was made of its pools, also those that the engine still holds; so
// `app` owns it and destroys it last.
#pragma once

#include <atomic>
#include <cstddef>

#include "base/memory_pool.h"
#include "rt/loop.h"
#include "rt/pool_gate.h"
#include "rt/task.h"

namespace weir::broker {

/// A pool that lanes wait for. The queue of waiters lives on one loop; a lane goes there only when
/// there is no room, or others wait already.
class SharedPool {
 public:
  SharedPool(std::string name, std::size_t bytes_max, rt::Loop& gate_loop)
      : pool_(std::move(name), bytes_max), loop_(gate_loop), gate_(gate_loop, pool_) {}

  MemoryPool& pool() { return pool_; }
  /// Takes `bytes` if they fit and nobody waits. From any thread.
  bool try_reserve(std::size_t bytes) {
    return waiting_.load(std::memory_order_relaxed) == 0 && pool_.try_reserve(bytes);
  }
  /// Called on, and resumes on, `lane`. False at `deadline`: then nothing is taken.
  rt::Task<bool> reserve(rt::Loop& lane, std::size_t bytes, MonoTime deadline);
  std::size_t waiting() const { return waiting_.load(std::memory_order_relaxed); }

  /// On the gate's loop: nobody waits any longer; all later calls answer false.
  void stop() { gate_.stop(); }

 private:
  MemoryPool pool_;
  rt::Loop& loop_;
  rt::PoolGate gate_;
  std::atomic<std::size_t> waiting_{0};
};

class MemoryBudget {
 public:
  MemoryBudget(std::size_t bytes, rt::Loop& gate_loop)
      : in("in", bytes / 100 * 22, gate_loop),
        in_small("in_small", bytes / 100 * 3),
        flush("flush", bytes / 100 * 20),
        cache("cache", bytes / 100 * 30),
        out("out", bytes / 100 * 10, gate_loop),
        decode("decode", bytes / 100 * 8, gate_loop) {}

  SharedPool in;
  MemoryPool in_small;
  MemoryPool flush;
  MemoryPool cache;
  SharedPool out;
  SharedPool decode;

  /// On the gate's loop, for a stop in a hurry: whoever waits for memory gives up.
  void stop() {
    in.stop();
    out.stop();
    decode.stop();
  }
};

}  // namespace weir::broker
