#include "rt/sim/fiber.h"

#include <sys/mman.h>
#include <ucontext.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/ensure.h"
#include "rt/sim/limits.h"

#if __has_feature(address_sanitizer)
#include <sanitizer/common_interface_defs.h>
#endif
#if __has_feature(thread_sanitizer)
#include <sanitizer/tsan_interface.h>
#endif

namespace weir::rt::sim {

namespace {

/// Where one side of a switch runs, as the sanitizers need to know it.
struct Side {
  ucontext_t context{};
  const void* stack = nullptr;
  std::size_t stack_bytes = 0;
  void* fake_stack = nullptr;
  void* tsan_fiber = nullptr;
};

/// Called just before leaving `from` for `to`. `last`: `from` is never entered again.
void before_switch([[maybe_unused]] Side& from, [[maybe_unused]] Side& to,
                   [[maybe_unused]] bool last) {
#if __has_feature(address_sanitizer)
  __sanitizer_start_switch_fiber(last ? nullptr : &from.fake_stack, to.stack, to.stack_bytes);
#endif
#if __has_feature(thread_sanitizer)
  __tsan_switch_to_fiber(to.tsan_fiber, 0);
#endif
}

/// Called just after arriving at `here` from `from`, whose stack is learned.
void after_switch([[maybe_unused]] Side& here, [[maybe_unused]] Side* from) {
#if __has_feature(address_sanitizer)
  __sanitizer_finish_switch_fiber(here.fake_stack, from ? &from->stack : nullptr,
                                  from ? &from->stack_bytes : nullptr);
#endif
}

}  // namespace

struct Fiber::Impl {
  std::move_only_function<void()> body;
  Side inside, outside;
  std::span<std::byte> memory;
  bool started = false;
  bool finished = false;

  void allocate_stack();
  void release_stack();
  /// For the first entry.
  void prepare();
  void leave(bool last);
  void enter();
  /// makecontext passes integers only.
  static void trampoline(unsigned high, unsigned low) {
    auto address = static_cast<std::uintptr_t>(high) << 32 | low;
    // LINT(reinterpret_cast): the other half of makecontext's integers.
    reinterpret_cast<Impl*>(address)->enter();
  }
};

void Fiber::Impl::allocate_stack() {
  // The lowest page stays unmapped, so that an overflow faults.
  void* base = ::mmap(nullptr, kFiberStackBytes, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ENSURE(base != MAP_FAILED);
  memory = std::span(static_cast<std::byte*>(base), kFiberStackBytes);
  std::span<std::byte> usable = memory.subspan(kFiberGuardBytes);
  ENSURE(::mprotect(usable.data(), usable.size(), PROT_READ | PROT_WRITE) == 0);
  inside.stack = usable.data();
  inside.stack_bytes = usable.size();
}

void Fiber::Impl::release_stack() {
  if (memory.empty()) return;
  ::munmap(memory.data(), memory.size());
  memory = {};
}

void Fiber::Impl::prepare() {
  if (memory.empty()) allocate_stack();
  const std::span<std::byte> usable = memory.subspan(kFiberGuardBytes);
  ENSURE(::getcontext(&inside.context) == 0);
  inside.context.uc_stack.ss_sp = usable.data();
  inside.context.uc_stack.ss_size = usable.size();
  inside.context.uc_link = nullptr;
#if __has_feature(thread_sanitizer)
  inside.tsan_fiber = __tsan_create_fiber(0);
#endif
}

void Fiber::Impl::leave(bool last) {
  before_switch(inside, outside, last);
  ::swapcontext(&inside.context, &outside.context);
  after_switch(inside, &outside);
}

void Fiber::Impl::enter() {
  after_switch(inside, &outside);
  body();
  body = nullptr;
  finished = true;
  leave(true);
}

Fiber::Fiber(std::move_only_function<void()> body) : impl_(std::make_unique<Impl>()) {
  impl_->body = std::move(body);
}

Fiber::~Fiber() {
  ENSURE(!impl_->started || impl_->finished);
#if __has_feature(thread_sanitizer)
  if (impl_->started) __tsan_destroy_fiber(impl_->inside.tsan_fiber);
#endif
  impl_->release_stack();
}

void Fiber::restart(std::move_only_function<void()> body) {
  Impl& impl = *impl_;
  ENSURE(impl.finished);
#if __has_feature(thread_sanitizer)
  __tsan_destroy_fiber(impl.inside.tsan_fiber);
#endif
#if __has_feature(address_sanitizer)
  // The last frames of a fiber never return, and what they poisoned stays so. Its fake stack went
  // with the last switch.
  impl.release_stack();
  impl.inside.fake_stack = nullptr;
#endif
  impl.body = std::move(body);
  impl.started = impl.finished = false;
}

void Fiber::resume() {
  Impl& impl = *impl_;
  ENSURE(!impl.finished);
  if (!impl.started) {
    impl.started = true;
    impl.prepare();
    // LINT(reinterpret_cast): makecontext passes integers only.
    auto address = reinterpret_cast<std::uintptr_t>(&impl);
    // LINT(reinterpret_cast): and wants a function without parameters.
    ::makecontext(&impl.inside.context, reinterpret_cast<void (*)()>(&Impl::trampoline), 2,
                  static_cast<unsigned>(address >> 32), static_cast<unsigned>(address));
  }
#if __has_feature(thread_sanitizer)
  impl.outside.tsan_fiber = __tsan_get_current_fiber();
#endif
  before_switch(impl.outside, impl.inside, false);
  ::swapcontext(&impl.outside.context, &impl.inside.context);
  after_switch(impl.outside, nullptr);
}

void Fiber::suspend() { impl_->leave(false); }
bool Fiber::finished() const { return impl_->finished; }

}  // namespace weir::rt::sim
