#include "objstore/fault_store.h"

#include "base/narrow.h"
#include "objstore/decorator_impl.h"

namespace weir::objstore {
namespace {

/// A late write gets its own copy: the caller's memory may change once it has its answer.
BytesChain own_copy(const BytesChain& body) {
  BytesChain copy;
  for (const SharedBytes& part : body.parts()) copy.append(SharedBytes::copy_of(part.view()));
  return copy;
}

std::unexpected<Error> refused() { return fail(ErrorCode::unavailable, "injected: refused"); }
std::unexpected<Error> lost() { return fail(ErrorCode::unknown_outcome, "injected: answer lost"); }
std::unexpected<Error> late() { return fail(ErrorCode::timed_out, "injected: no answer in time"); }

}  // namespace

FaultStore::Fault FaultStore::draw() {
  if (down_) return Fault::refused;
  if (next_count_ > 0) {
    --next_count_;
    return next_fault_;
  }
  std::uint64_t drawn = random_.below(1'000'000);
  if (drawn < law_.refused_ppm) return Fault::refused;
  drawn -= law_.refused_ppm;
  if (drawn < law_.lost_ppm) return Fault::lost;
  drawn -= law_.lost_ppm;
  return drawn < law_.late_ppm ? Fault::late : Fault::none;
}

template <class T>
rt::Task<Result<T>> FaultStore::around(Request request) {
  request.body = own_copy(request.body);
  switch (draw()) {
    case Fault::none: break;
    case Fault::refused: co_return refused();
    case Fault::lost: {
      if (!is_write(request.verb)) co_return refused();
      Result<T> ignored = co_await send<T>(inner(), std::move(request));
      co_return lost();
    }
    case Fault::late: {
      std::uint64_t bound = narrow<std::uint64_t>(law_.late_max.count()) + 1;
      Duration wait(narrow<std::int64_t>(random_.below(bound)));
      if (is_write(request.verb)) late_.spawn(apply_late<T>(wait, std::move(request)));
      co_return late();
    }
  }
  co_return co_await send<T>(inner(), std::move(request));
}

template <class T>
rt::Task<void> FaultStore::apply_late(Duration wait, Request request) {
  co_await rt::sleep_for(loop_, wait);
  Result<T> nobody_hears = co_await send<T>(inner(), std::move(request));
}

template class Decorator<FaultStore>;

}  // namespace weir::objstore
