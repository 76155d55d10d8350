// off_loop: long and pure work, done where it does not hold up the loop.
#pragma once

#include <type_traits>
#include <utility>

#include "rt/loop.h"
#include "rt/workers.h"

namespace weir::engine {

/// Does `work` on the pool; without one (`workers` null) here, after others had their turn. `work`
/// may borrow from the caller, and touches nothing that the loop touches meanwhile: no state, no
/// log, no metrics.
template <class F>
rt::Task<std::invoke_result_t<F>> off_loop(rt::Loop& loop, rt::Workers* workers, F work) {
  if (workers) co_return co_await rt::run_blocking(loop, *workers, std::move(work));
  co_await rt::yield(loop);
  co_return work();
}

}  // namespace weir::engine
