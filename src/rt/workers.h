// Workers: a small pool of threads for work that blocks or takes long (file calls, compression of
// large batches).
#pragma once

#include <coroutine>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

#include "rt/loop.h"
#include "rt/task.h"

namespace weir::rt {

class Workers {
 public:
  virtual ~Workers() = default;
  /// Runs `work` on some thread, soon. Jobs may run in parallel and in any order. From any thread.
  /// The simulated pool runs it on the posting node, after a virtual delay.
  virtual void submit(std::move_only_function<void()> work) = 0;
};

/// co_await run_blocking(loop, workers, fn): runs `fn` on the pool and continues on `loop` with its
/// result. `fn` may borrow from the awaiting coroutine, which is suspended meanwhile.
template <class F>
Task<std::invoke_result_t<F>> run_blocking(Loop& loop, Workers& workers, F fn) {
  using R = std::invoke_result_t<F>;
  static_assert(!std::is_void_v<R>, "return a Result");
  std::optional<R> result;
  struct Awaiter {
    Loop& loop;
    Workers& workers;
    F& fn;
    std::optional<R>& result;
    bool await_ready() const { return false; }
    void await_suspend(std::coroutine_handle<> handle) {
      workers.submit([this, handle] {
        // `this` lives in the frame until the handle is posted, and not an instant longer.
        Loop& home = loop;
        result.emplace(fn());
        home.post(handle);
      });
    }
    void await_resume() const {}
  };
  co_await Awaiter{loop, workers, fn, result};
  co_return std::move(*result);
}

}  // namespace weir::rt
