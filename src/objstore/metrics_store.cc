#include "objstore/metrics_store.h"

#include "base/narrow.h"
#include "objstore/decorator_impl.h"

namespace weir::objstore {
namespace {

constexpr std::string_view kRequests = "weir_store_requests_total";
constexpr std::string_view kRequestsHelp = "Requests to a store, by verb and outcome.";

Counter& bytes_counter(Metrics& metrics, const std::string& store, std::string_view direction) {
  return metrics.counter("weir_store_bytes_total",
                         "Bytes of bodies written to and read from a store.",
                         "store=\"" + store + "\",direction=\"" + std::string(direction) + "\"");
}

std::string labels_of(const std::string& store, Verb verb) {
  return "store=\"" + store + "\",verb=\"" + std::string(to_string(verb)) + "\"";
}

std::uint64_t bytes_of(const SharedBytes& body) { return body.size(); }
template <class T>
std::uint64_t bytes_of(const T&) {
  return 0;
}

}  // namespace

MetricsStore::MetricsStore(ObjectStore& inner, Metrics& metrics, const rt::Clock& clock,
                           std::string label, PriceTable prices)
    : Decorator(inner),
      metrics_(metrics),
      clock_(clock),
      label_(std::move(label)),
      prices_(prices),
      written_(bytes_counter(metrics, label_, "written")),
      read_(bytes_counter(metrics, label_, "read")) {
  for (std::size_t i = 0; i < kVerbs; ++i) {
    std::string labels = labels_of(label_, static_cast<Verb>(i));
    ok_[i] = &metrics.counter(kRequests, kRequestsHelp, labels + ",outcome=\"ok\"");
    price_[i] = &metrics.counter("weir_store_price_nanodollars_total",
                                 "List price of the requests to a store.", labels);
    seconds_[i] = &metrics.histogram("weir_store_request_seconds",
                                     "Time from the call of a store to its answer.", 1e-6, labels);
  }
}

void MetricsStore::count_failure(Verb verb, const Error& error) {
  std::string outcome(weir::to_string(error.code));
  metrics_
      .counter(kRequests, kRequestsHelp, labels_of(label_, verb) + ",outcome=\"" + outcome + "\"")
      .add();
}

template <class T>
rt::Task<Result<T>> MetricsStore::around(Request request) {
  Verb verb = request.verb;
  std::uint64_t sent = request.body.size();
  MonoTime begin = clock_.now();
  Result<T> result = co_await send<T>(inner(), std::move(request));
  auto micros = std::chrono::duration_cast<std::chrono::microseconds>(clock_.now() - begin).count();
  seconds_[index_of(verb)]->observe(micros < 0 ? 0 : narrow<std::uint64_t>(micros));
  std::uint64_t received = result ? bytes_of(*result) : 0;
  price_[index_of(verb)]->add(prices_.nanodollars(verb, sent + received));
  if (!result) {
    count_failure(verb, result.error());
    co_return result;
  }
  ok_[index_of(verb)]->add();
  written_.add(sent);
  read_.add(received);
  co_return result;
}

template class Decorator<MetricsStore>;

}  // namespace weir::objstore
