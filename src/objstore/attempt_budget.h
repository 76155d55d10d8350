// AttemptBudget: keeps extra requests (retries, hedges) at a fraction of the ordinary ones.
//
// Every request earns a token, an extra one costs `cost`. After a burst of `tokens_max / cost`
// there is at most one extra request for `cost` ordinary ones, so a store in trouble is not asked
// several times as often as a healthy one. Used on one loop.
#pragma once

#include <algorithm>

namespace weir::objstore {

class AttemptBudget {
 public:
  struct Law {
    int tokens_max;
    int cost;
  };
  explicit AttemptBudget(Law law) : law_(law), tokens_(law.tokens_max) {}

  void earn() { tokens_ = std::min(tokens_ + 1, law_.tokens_max); }
  /// False if there is not enough; then nothing was spent.
  bool spend() {
    if (tokens_ < law_.cost) return false;
    tokens_ -= law_.cost;
    return true;
  }

 private:
  Law law_;
  int tokens_;
};

}  // namespace weir::objstore
