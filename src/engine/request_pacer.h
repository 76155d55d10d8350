// RequestPacer: when the next write to a store that charges for each may start.
//
// A small cluster must cost tens of dollars a month and a busy one must be fast, so the pace
// follows the load: a broker aims at its share of `requests_per_second` plus half a request for
// each megabyte that producers bring. Below about a megabyte a second flushes wait for the budget
// (up to --flush-interval-max), from fourteen on the shortest window holds all by itself. A bucket
// of a few requests lets a lone write go at once. docs/adr/0013-flush-policy.md has the arithmetic.
//
// Only what is paid for as a write counts here (an upload, a create, won or lost); reads cost a
// twelfth and are paced by those who make them. The budget delays work within the bounds that its
// callers keep and never refuses it. Used on one loop; the clock outlives it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/time.h"
#include "engine/options.h"
#include "rt/loop.h"

namespace weir::engine {

class RequestPacer {
 public:
  RequestPacer(const rt::Clock& clock, const RequestBudget& budget);

  /// False where requests are free: then nothing ever waits.
  bool active() const { return budget_.requests_per_second > 0; }
  /// Brokers that share the budget; at least 1.
  void set_brokers(std::size_t live) { brokers_ = live > 0 ? live : 1; }
  /// Record bytes that producers have brought.
  void note_load(std::uint64_t bytes);
  /// Writes that have been sent.
  void spend(double requests);
  /// When the budget has `requests`; not after now if it has them already.
  MonoTime when(double requests);
  /// How long a create waits for the budget at most after the one before.
  Duration commit_gap_max() const;

 private:
  void advance();
  /// Writes a second that are aimed at, as of the last `advance`.
  double rate() const;

  const rt::Clock& clock_;
  RequestBudget budget_;
  std::size_t brokers_ = 1;
  MonoTime at_;
  double tokens_ = 0;
  double bytes_per_second_ = 0;
};

}  // namespace weir::engine
