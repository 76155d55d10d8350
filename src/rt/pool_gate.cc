#include "rt/pool_gate.h"

#include "base/ensure.h"

namespace weir::rt {

/// A coroutine without end that looks at the queue each time it is resumed. It owns itself, because
/// the loop may still hold its handle when the gate dies.
struct PoolGate::Sweeper {
  struct Frame {
    struct promise_type {
      Frame get_return_object() {
        return {std::coroutine_handle<promise_type>::from_promise(*this)};
      }
      std::suspend_always initial_suspend() noexcept { return {}; }
      std::suspend_never final_suspend() noexcept { return {}; }
      void return_void() {}
      [[noreturn]] void unhandled_exception() {
        ensure_failed("no exception leaves a task", __FILE__, __LINE__);
      }
    };
    std::coroutine_handle<> handle;
  };

  explicit Sweeper(PoolGate& owner) : gate(&owner), handle(run(this).handle) {}

  static Frame run(Sweeper* self) {
    while (self->gate != nullptr) {
      self->posted.store(false);
      self->gate->sweep();
      co_await std::suspend_always{};
    }
    delete self;  // LINT(new): the frame owns its Sweeper.
  }

  PoolGate* gate;
  std::atomic<bool> posted{false};
  std::coroutine_handle<> handle;
};

PoolGate::Waiter::Waiter(PoolGate& owner, std::size_t wanted)
    : gate(owner), bytes(wanted), changed(owner.loop_), previous(owner.last_) {
  (previous ? previous->next : gate.first_) = this;
  gate.last_ = this;
  gate.waiting_.fetch_add(1);
}

PoolGate::Waiter::~Waiter() {
  if (linked) unlink();
  // Granted, but the coroutine was destroyed before it could say so.
  if (granted) gate.pool_.release(bytes);
}

void PoolGate::Waiter::unlink() {
  linked = false;
  (previous ? previous->next : gate.first_) = next;
  (next ? next->previous : gate.last_) = previous;
  gate.waiting_.fetch_sub(1);
}

PoolGate::PoolGate(Loop& loop, MemoryPool& pool)
    // LINT(new): the Sweeper outlives the gate while a sweep is posted, and then deletes itself.
    : loop_(loop), pool_(pool), sweeper_(new Sweeper(*this)) {
  pool_.set_listener(this);
}

PoolGate::~PoolGate() {
  ENSURE(first_ == nullptr);
  pool_.set_listener(nullptr);
  sweeper_->gate = nullptr;
  // Not posted: end it here. Posted: the loop does.
  if (!sweeper_->posted.exchange(true)) sweeper_->handle.resume();
}

Task<bool> PoolGate::reserve(std::size_t bytes, MonoTime deadline) {
  if (stopped_) co_return false;
  if (first_ == nullptr && pool_.try_reserve(bytes)) co_return true;
  bool granted = false;
  {
    Waiter waiter(*this, bytes);
    // Something may have been released before we were in the queue.
    sweep();
    while (!waiter.granted && !stopped_) {
      if (!co_await waiter.changed.wait_until(deadline)) break;
    }
    granted = std::exchange(waiter.granted, false);
  }
  // A large request that gave up may have kept small ones waiting.
  if (!granted) sweep();
  co_return granted;
}

void PoolGate::stop() {
  stopped_ = true;
  for (Waiter* waiter = first_; waiter != nullptr; waiter = waiter->next) {
    waiter->changed.notify_all();
  }
}

void PoolGate::on_release() {
  if (waiting_.fetch_add(0) == 0) return;
  if (!sweeper_->posted.exchange(true)) loop_.post(sweeper_->handle);
}

void PoolGate::sweep() {
  while (first_ != nullptr && !stopped_ && pool_.try_reserve(first_->bytes)) {
    Waiter& waiter = *first_;
    waiter.unlink();
    waiter.granted = true;
    waiter.changed.notify_all();
  }
}

}  // namespace weir::rt
