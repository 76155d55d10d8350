#include "objstore/metrics_store.h"

#include "base/narrow.h"

namespace weir::objstore {
namespace {

constexpr std::string_view kRequests = "weir_store_requests_total";
constexpr std::string_view kRequestsHelp = "Requests to a store, by verb and outcome.";

Counter& bytes_counter(Metrics& metrics, const std::string& store, std::string_view direction) {
  return metrics.counter("weir_store_bytes_total",
                         "Bytes of bodies written to and read from a store.",
                         "store=\"" + store + "\",direction=\"" + std::string(direction) + "\"");
}

}  // namespace

std::string_view to_string(Verb verb) {
  static constexpr std::array<std::string_view, kVerbs> kNames = {
      "put", "put_if_absent", "put_if_match", "get", "get_range", "head", "list", "delete"};
  return kNames[static_cast<std::size_t>(verb)];
}

MetricsStore::MetricsStore(ObjectStore& inner, Metrics& metrics, const rt::Clock& clock,
                           std::string label)
    : inner_(inner),
      metrics_(metrics),
      clock_(clock),
      label_(std::move(label)),
      written_(bytes_counter(metrics, label_, "written")),
      read_(bytes_counter(metrics, label_, "read")) {
  for (std::size_t i = 0; i < kVerbs; ++i) {
    std::string labels =
        "store=\"" + label_ + "\",verb=\"" + std::string(to_string(static_cast<Verb>(i))) + "\"";
    ok_[i] = &metrics.counter(kRequests, kRequestsHelp, labels + ",outcome=\"ok\"");
    seconds_[i] = &metrics.histogram("weir_store_request_seconds",
                                     "Time from the call of a store to its answer.", 1e-6, labels);
  }
}

void MetricsStore::count(Verb verb, std::string_view outcome) {
  metrics_
      .counter(kRequests, kRequestsHelp,
               "store=\"" + label_ + "\",verb=\"" + std::string(to_string(verb)) + "\",outcome=\"" +
                   std::string(outcome) + "\"")
      .add();
}

template <class T>
rt::Task<Result<T>> MetricsStore::measure(Verb verb, rt::Task<Result<T>> request) {
  MonoTime begin = clock_.now();
  Result<T> result = co_await std::move(request);
  auto micros = std::chrono::duration_cast<std::chrono::microseconds>(clock_.now() - begin).count();
  std::size_t index = static_cast<std::size_t>(verb);
  seconds_[index]->observe(micros < 0 ? 0 : narrow<std::uint64_t>(micros));
  if (result)
    ok_[index]->add();
  else
    count(verb, weir::to_string(result.error().code));
  co_return result;
}

rt::Task<Result<std::string>> MetricsStore::measure_put(Verb verb, std::size_t bytes,
                                                        rt::Task<Result<std::string>> request) {
  Result<std::string> result = co_await measure(verb, std::move(request));
  if (result) written_.add(bytes);
  co_return result;
}

rt::Task<Result<SharedBytes>> MetricsStore::measure_get(Verb verb,
                                                        rt::Task<Result<SharedBytes>> request) {
  Result<SharedBytes> result = co_await measure(verb, std::move(request));
  if (result) read_.add(result->size());
  co_return result;
}

rt::Task<Result<std::string>> MetricsStore::put(std::string name, BytesChain body) {
  std::size_t bytes = body.size();
  return measure_put(Verb::put, bytes, inner_.put(std::move(name), std::move(body)));
}

rt::Task<Result<std::string>> MetricsStore::put_if_absent(std::string name, BytesChain body) {
  std::size_t bytes = body.size();
  return measure_put(Verb::put_if_absent, bytes,
                     inner_.put_if_absent(std::move(name), std::move(body)));
}

rt::Task<Result<std::string>> MetricsStore::put_if_match(std::string name, BytesChain body,
                                                         std::string etag) {
  std::size_t bytes = body.size();
  return measure_put(Verb::put_if_match, bytes,
                     inner_.put_if_match(std::move(name), std::move(body), std::move(etag)));
}

rt::Task<Result<SharedBytes>> MetricsStore::get(std::string name) {
  return measure_get(Verb::get, inner_.get(std::move(name)));
}

rt::Task<Result<SharedBytes>> MetricsStore::get_range(std::string name, std::uint64_t offset,
                                                      std::uint64_t length) {
  return measure_get(Verb::get_range, inner_.get_range(std::move(name), offset, length));
}

rt::Task<Result<ObjectInfo>> MetricsStore::head(std::string name) {
  return measure(Verb::head, inner_.head(std::move(name)));
}

rt::Task<Result<ObjectStore::Page>> MetricsStore::list(std::string prefix,
                                                       std::string continuation) {
  return measure(Verb::list, inner_.list(std::move(prefix), std::move(continuation)));
}

rt::Task<Result<ObjectStore::RemoveFailures>> MetricsStore::remove(std::vector<std::string> names) {
  return measure(Verb::remove, inner_.remove(std::move(names)));
}

}  // namespace weir::objstore
