// Remote: one operation of a broker on a store that is elsewhere, with what can go wrong between.
//
// The request travels, is applied at one instant, and the answer travels back. A broker that is
// killed meanwhile has no say in whether it is applied; and what the driver has given up may still
// be applied seconds later. The inner stores never suspend, so "applied" is one instant of the
// world.
#pragma once

#include <coroutine>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "base/result.h"
#include "rt/event.h"
#include "rt/sim/node.h"
#include "rt/task.h"
#include "tests/sim/weather.h"

namespace weir::sim {

/// The result of a task that does not suspend.
template <class T>
T complete(rt::Task<T> task) {
  struct Detached {
    struct promise_type {
      Detached get_return_object() { return {}; }
      std::suspend_never initial_suspend() noexcept { return {}; }
      std::suspend_never final_suspend() noexcept { return {}; }
      void return_void() {}
      [[noreturn]] void unhandled_exception() {
        ensure_failed("no exception leaves a task", __FILE__, __LINE__);
      }
    };
    static Detached run(rt::Task<T> inner, std::optional<T>& out) {
      out.emplace(co_await std::move(inner));
    }
  };
  std::optional<T> out;
  Detached::run(std::move(task), out);
  ENSURE(out.has_value());
  return std::move(*out);
}

/// Shared by the decorators of one broker process.
class Remote {
 public:
  Remote(rt::sim::SimNode& node, const Weather& weather) : node_(node), weather_(weather) {}

  /// One key of a request for many.
  bool refuses_key() {
    return weather_.refused_ppm > 0 &&
           node_.world().random().below(1'000'000) < weather_.refused_ppm;
  }

  /// `apply` runs at most once. It holds copies of what it needs: the caller may be dead by then.
  template <class T>
  rt::Task<Result<T>> perform(bool writes, std::function<Result<T>()> apply) {
    rt::sim::SimWorld& world = node_.world();
    Fate fate = draw_fate(weather_, world.random(), writes);
    Duration there = draw_travel(weather_, world.random());
    Duration back = draw_travel(weather_, world.random());
    auto call = std::make_shared<Call<T>>(node_.loop());
    MonoTime gives_up = node_.loop().now() + weather_.time_out;
    if (fate == Fate::done || fate == Fate::reply_lost) {
      world.after(there, nullptr,
                  [&world, call, apply = std::move(apply), fate, back, node = &node_] {
                    Result<T> result = apply();
                    if (fate == Fate::done) answer(world, *node, call, std::move(result), back);
                  });
    } else if (fate == Fate::late) {
      auto extra = static_cast<std::uint64_t>(weather_.late_max.count());
      Duration late =
          weather_.time_out + Duration(static_cast<std::int64_t>(world.random().below(extra)));
      world.after(late, nullptr, [apply = std::move(apply)] { std::ignore = apply(); });
    } else if (fate == Fate::refused) {
      answer<T>(world, node_, call, fail(ErrorCode::unavailable, "503 slow down"), there + back);
    } else if (fate == Fate::no_space) {
      answer<T>(world, node_, call, fail(ErrorCode::out_of_space, "the disk is full"),
                there + back);
    }
    while (!call->result)
      if (!co_await call->done.wait_until(gives_up) && !call->result)
        co_return fail(writes ? ErrorCode::unknown_outcome : ErrorCode::timed_out,
                       "no answer from the store");
    co_return std::move(*call->result);
  }

 private:
  template <class T>
  struct Call {
    explicit Call(rt::Loop& loop) : done(loop) {}
    rt::Event done;
    std::optional<Result<T>> result;
  };
  template <class T>
  static void answer(rt::sim::SimWorld& world, rt::sim::SimNode& node,
                     std::shared_ptr<Call<T>> call, Result<T> result, Duration after) {
    world.after(after, &node, [call, result = std::move(result)]() mutable {
      call->result.emplace(std::move(result));
      call->done.notify_all();
    });
  }

  rt::sim::SimNode& node_;
  const Weather& weather_;
};

}  // namespace weir::sim
