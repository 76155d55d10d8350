// PoolGate: waiting, on a loop, for room in a MemoryPool.
//
// Room is given in order of asking: a large request is not starved by small ones behind it. Memory
// may be freed on any thread; the gate is told and looks again on its own loop, at most once per
// round however many buffers were freed. Everything but the freeing happens on that loop. A pool
// tells one gate, so lanes that share a pool hop to the gate's loop when the pool is full.
#pragma once

#include <atomic>
#include <coroutine>
#include <cstddef>

#include "base/memory_pool.h"
#include "rt/event.h"
#include "rt/loop.h"
#include "rt/task.h"

namespace weir::rt {

class PoolGate final : private MemoryPool::Listener {
 public:
  /// Becomes the pool's listener. The gate outlives every Buffer of the pool that another thread
  /// may free, and no call of `reserve` may be left when it dies.
  PoolGate(Loop& loop, MemoryPool& pool);
  ~PoolGate() override;
  PoolGate(const PoolGate&) = delete;
  PoolGate& operator=(const PoolGate&) = delete;

  /// Takes `bytes` from the pool, when it is our turn and they fit. False at `deadline` and after
  /// `stop`: then nothing was taken.
  Task<bool> reserve(std::size_t bytes, MonoTime deadline);
  /// All waiting and later calls of `reserve` answer false.
  void stop();

 private:
  /// One call of `reserve`, in its frame.
  struct Waiter {
    Waiter(PoolGate& owner, std::size_t wanted);
    ~Waiter();
    Waiter(const Waiter&) = delete;
    Waiter& operator=(const Waiter&) = delete;
    void unlink();

    PoolGate& gate;
    std::size_t bytes;
    Event changed;
    bool linked = true;
    /// The pool has counted `bytes` for us.
    bool granted = false;
    Waiter* next = nullptr;
    Waiter* previous = nullptr;
  };
  /// What releases wake. Outlives the gate while it is posted.
  struct Sweeper;

  void on_release() override;
  void sweep();

  Loop& loop_;
  MemoryPool& pool_;
  Waiter* first_ = nullptr;
  Waiter* last_ = nullptr;
  bool stopped_ = false;
  /// Read and written by read-modify-write only: then either a release sees the new waiter, or the
  /// waiter sees what was released.
  std::atomic<std::size_t> waiting_{0};
  Sweeper* sweeper_;
};

}  // namespace weir::rt
