// FaultStore: a store that misbehaves as real ones do, for tests and the simulation.
//
// Each request meets at most one fault:
//   refused    unavailable; nothing was applied (503, a refused connection)
//   lost       applied, but the answer is lost: unknown_outcome
//   late       timed_out now; a write is applied at some later time, or by then refused by its
//              guard
// An outage (`set_down`) refuses everything. Reads that are lost or late just fail.
//
// Late writes belong to this store's scope: `join` before it ends. Used on one loop; store, loop
// and random outlive it.
#pragma once

#include "objstore/decorator.h"
#include "rt/loop.h"
#include "rt/random.h"
#include "rt/scope.h"

namespace weir::objstore {

/// Per million requests.
struct FaultLaw {
  std::uint32_t refused_ppm = 0;
  std::uint32_t lost_ppm = 0;
  std::uint32_t late_ppm = 0;
  /// A late write is applied up to this much later.
  Duration late_max = 30s;
};

class FaultStore final : public Decorator<FaultStore> {
 public:
  FaultStore(ObjectStore& inner, rt::Loop& loop, rt::Random& random, FaultLaw law = {})
      : Decorator(inner), loop_(loop), random_(random), law_(law), late_(loop) {}

  void set_law(FaultLaw law) { law_ = law; }
  void set_down(bool down) { down_ = down; }
  /// The next requests meet this fault, before the law is asked.
  enum class Fault : unsigned char { none, refused, lost, late };
  void fail_next(Fault fault, std::uint64_t count = 1) {
    next_fault_ = fault;
    next_count_ = count;
  }
  /// Until all late writes have been applied.
  rt::Task<void> join() { return late_.join(); }

 private:
  friend class Decorator<FaultStore>;
  Fault draw();
  template <class T>
  rt::Task<Result<T>> around(Request request);
  template <class T>
  rt::Task<void> apply_late(Duration wait, Request request);

  rt::Loop& loop_;
  rt::Random& random_;
  FaultLaw law_;
  bool down_ = false;
  Fault next_fault_ = Fault::none;
  std::uint64_t next_count_ = 0;
  rt::Scope late_;
};
extern template class Decorator<FaultStore>;

}  // namespace weir::objstore
