// StoreStack: everything that stands between the broker and the driver of a remote store.
//
//   retry (per class) → gate (per class, one gate) → deadline and hedge → metrics → driver
//
// A request that waits at the gate has not begun, so latencies are learned without the wait, and a
// retry waits for its turn like any other request. What the classes share: the gate with its rate,
// what is known of latencies, the hedge budget.
//
// Used on one loop, the one that the driver's tasks end on. The driver outlives it; `stop` before
// it ends. The gate exists first, since a driver is built with it:
//
//   RequestGate gate(…);  S3Store driver(…, gate);  StoreStack stack(driver, gate, …);
#pragma once

#include <array>
#include <memory>
#include <string>

#include "objstore/gate_store.h"
#include "objstore/hedge_store.h"
#include "objstore/latency_book.h"
#include "objstore/metrics_store.h"
#include "objstore/price.h"
#include "objstore/retry_store.h"

namespace weir::objstore {

class StoreStack {
 public:
  struct Parts {
    rt::Loop& loop;
    rt::Random& random;
    Metrics& metrics;
  };
  struct Options {
    /// Names the store in metrics: "data", "log".
    std::string label = "data";
    PriceTable prices = {};
    /// Only for drivers that send a body's checksum before it (hedge_store.h).
    bool hedge = true;
  };
  StoreStack(ObjectStore& driver, RequestGate& gate, Parts parts, Options options);

  /// The store for requests of one class.
  ObjectStore& of(RequestClass c) { return *retries_[index_of(c)]; }
  /// The store for callers that mix classes; each request goes by its verb.
  ObjectStore& by_verb() { return *retries_[kRequestClasses]; }
  /// After the last request has been answered: until what nobody waits for has ended.
  rt::Task<void> stop() { return hedge_.join(); }

 private:
  LatencyBook latencies_;
  MetricsStore metrics_;
  HedgeStore hedge_;
  std::array<std::unique_ptr<GateStore>, kRequestClasses + 1> gates_;
  std::array<std::unique_ptr<RetryStore>, kRequestClasses + 1> retries_;
};

}  // namespace weir::objstore
