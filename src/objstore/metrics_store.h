// MetricsStore: counts and times every request to a store, by verb and outcome.
//
//   weir_store_requests_total{store,verb,outcome}    outcome is "ok" or the name of the error code
//   weir_store_request_seconds{store,verb}
//   weir_store_bytes_total{store,direction}          bodies only: written, read
//
// Cost models and bills start from these. Store, metrics and clock outlive it.
#pragma once

#include <array>

#include "base/metrics.h"
#include "objstore/object_store.h"
#include "rt/loop.h"

namespace weir::objstore {

enum class Verb : unsigned char {
  put,
  put_if_absent,
  put_if_match,
  get,
  get_range,
  head,
  list,
  remove
};
inline constexpr std::size_t kVerbs = 8;
std::string_view to_string(Verb verb);

class MetricsStore final : public ObjectStore {
 public:
  /// `label` names the store: "data", "log".
  MetricsStore(ObjectStore& inner, Metrics& metrics, const rt::Clock& clock, std::string label);

  rt::Task<Result<std::string>> put(std::string name, BytesChain body) override;
  rt::Task<Result<std::string>> put_if_absent(std::string name, BytesChain body) override;
  rt::Task<Result<std::string>> put_if_match(std::string name, BytesChain body,
                                             std::string etag) override;
  rt::Task<Result<SharedBytes>> get(std::string name) override;
  rt::Task<Result<SharedBytes>> get_range(std::string name, std::uint64_t offset,
                                          std::uint64_t length) override;
  rt::Task<Result<ObjectInfo>> head(std::string name) override;
  rt::Task<Result<Page>> list(std::string prefix, std::string continuation) override;
  rt::Task<Result<RemoveFailures>> remove(std::vector<std::string> names) override;
  std::string describe() const override { return inner_.describe(); }

 private:
  template <class T>
  rt::Task<Result<T>> measure(Verb verb, rt::Task<Result<T>> request);
  rt::Task<Result<std::string>> measure_put(Verb verb, std::size_t bytes,
                                            rt::Task<Result<std::string>> request);
  rt::Task<Result<SharedBytes>> measure_get(Verb verb, rt::Task<Result<SharedBytes>> request);
  void count(Verb verb, std::string_view outcome);

  ObjectStore& inner_;
  Metrics& metrics_;
  const rt::Clock& clock_;
  std::string label_;
  std::array<Counter*, kVerbs> ok_{};
  std::array<Histogram*, kVerbs> seconds_{};
  Counter& written_;
  Counter& read_;
};

}  // namespace weir::objstore
