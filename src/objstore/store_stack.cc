#include "objstore/store_stack.h"

namespace weir::objstore {

StoreStack::StoreStack(ObjectStore& driver, RequestGate& gate, Parts parts, Options options)
    : metrics_(driver, parts.metrics, parts.loop, options.label, options.prices),
      hedge_(metrics_, {.loop = parts.loop,
                        .latencies = latencies_,
                        .gate = gate,
                        .metrics = parts.metrics,
                        .label = options.label,
                        .hedge = options.hedge}) {
  for (std::size_t i = 0; i <= kRequestClasses; ++i) {
    std::optional<RequestClass> c;
    if (i < kRequestClasses) c = static_cast<RequestClass>(i);
    gates_[i] = std::make_unique<GateStore>(hedge_, gate, c);
    retries_[i] = std::make_unique<RetryStore>(*gates_[i], parts.loop, parts.random);
  }
}

}  // namespace weir::objstore
