#include "objstore/fault_store.h"

#include "base/narrow.h"

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
rt::Task<Result<T>> FaultStore::read(rt::Task<Result<T>> request) {
  switch (draw()) {
    case Fault::none: break;
    case Fault::refused:
    case Fault::lost: co_return refused();
    case Fault::late: co_return late();
  }
  co_return co_await std::move(request);
}

template <class T>
rt::Task<Result<T>> FaultStore::write(rt::Task<Result<T>> request) {
  switch (draw()) {
    case Fault::none: break;
    case Fault::refused: co_return refused();
    case Fault::lost: {
      Result<T> ignored = co_await std::move(request);
      co_return lost();
    }
    case Fault::late: {
      std::uint64_t bound = narrow<std::uint64_t>(law_.late_max.count()) + 1;
      Duration wait(narrow<std::int64_t>(random_.below(bound)));
      late_.spawn(apply_late(wait, std::move(request)));
      co_return late();
    }
  }
  co_return co_await std::move(request);
}

template <class T>
rt::Task<void> FaultStore::apply_late(Duration wait, rt::Task<Result<T>> request) {
  co_await rt::sleep_for(loop_, wait);
  Result<T> nobody_hears = co_await std::move(request);
}

rt::Task<Result<std::string>> FaultStore::put(std::string name, BytesChain body) {
  return write(inner_.put(std::move(name), own_copy(body)));
}

rt::Task<Result<std::string>> FaultStore::put_if_absent(std::string name, BytesChain body) {
  return write(inner_.put_if_absent(std::move(name), own_copy(body)));
}

rt::Task<Result<std::string>> FaultStore::put_if_match(std::string name, BytesChain body,
                                                       std::string etag) {
  return write(inner_.put_if_match(std::move(name), own_copy(body), std::move(etag)));
}

rt::Task<Result<SharedBytes>> FaultStore::get(std::string name) {
  return read(inner_.get(std::move(name)));
}

rt::Task<Result<SharedBytes>> FaultStore::get_range(std::string name, std::uint64_t offset,
                                                    std::uint64_t length) {
  return read(inner_.get_range(std::move(name), offset, length));
}

rt::Task<Result<ObjectInfo>> FaultStore::head(std::string name) {
  return read(inner_.head(std::move(name)));
}

rt::Task<Result<ObjectStore::Page>> FaultStore::list(std::string prefix, std::string continuation) {
  return read(inner_.list(std::move(prefix), std::move(continuation)));
}

rt::Task<Result<ObjectStore::RemoveFailures>> FaultStore::remove(std::vector<std::string> names) {
  return write(inner_.remove(std::move(names)));
}

}  // namespace weir::objstore
