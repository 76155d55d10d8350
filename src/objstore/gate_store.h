// GateStore: requests of one class pass a RequestGate before they go on to the inner store.
#pragma once

#include <optional>

#include "objstore/decorator.h"
#include "objstore/request_gate.h"

namespace weir::objstore {

/// For callers that belong to no class: conditional writes are commits, puts are produce, reads are
/// tail reads, listings and deletions are maintenance.
RequestClass class_of(Verb verb);

/// Used on the gate's loop. Store and gate outlive it.
class GateStore final : public Decorator<GateStore> {
 public:
  /// Without a class, by `class_of`.
  GateStore(ObjectStore& inner, RequestGate& gate, std::optional<RequestClass> c)
      : Decorator(inner), gate_(gate), class_(c) {}

 private:
  friend class Decorator<GateStore>;
  template <class T>
  rt::Task<Result<T>> around(Request request);

  RequestGate& gate_;
  std::optional<RequestClass> class_;
};
extern template class Decorator<GateStore>;

}  // namespace weir::objstore
