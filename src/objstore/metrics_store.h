// MetricsStore: counts, times and prices every request to a store, by verb and outcome.
//
//   weir_store_requests_total{store,verb,outcome}    outcome is "ok" or the name of the error code
//   weir_store_request_seconds{store,verb}
//   weir_store_bytes_total{store,direction}          bodies only: written, read
//   weir_store_price_nanodollars_total{store,verb}   by the price table; failed requests count too
//
// It stands directly around a driver, so that what is counted is what the store was asked: retries
// and hedges are requests. Store, metrics and clock outlive it.
#pragma once

#include <array>

#include "base/metrics.h"
#include "objstore/decorator.h"
#include "objstore/price.h"
#include "rt/loop.h"

namespace weir::objstore {

class MetricsStore final : public Decorator<MetricsStore> {
 public:
  /// `label` names the store: "data", "log".
  MetricsStore(ObjectStore& inner, Metrics& metrics, const rt::Clock& clock, std::string label,
               PriceTable prices = {});

 private:
  friend class Decorator<MetricsStore>;
  template <class T>
  rt::Task<Result<T>> around(Request request);
  void count_failure(Verb verb, const Error& error);

  Metrics& metrics_;
  const rt::Clock& clock_;
  std::string label_;
  PriceTable prices_;
  std::array<Counter*, kVerbs> ok_{};
  std::array<Counter*, kVerbs> price_{};
  std::array<Histogram*, kVerbs> seconds_{};
  Counter& written_;
  Counter& read_;
};
extern template class Decorator<MetricsStore>;

}  // namespace weir::objstore
