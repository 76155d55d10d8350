// Subscriptions: what a client is asked to send, computed from the configs of type client-metrics.
//
// Every broker computes the same answer from the same state, so a client may ask one broker and
// push to another. The number of a subscription changes when its content does; a client that pushes
// under an old one is told to ask again. Used on the engine's loop.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "broker/telemetry/client_match.h"
#include "state/catalog.h"

namespace weir::broker::telemetry {

struct Subscription {
  std::int32_t id = 0;
  Duration interval;
  /// Prefixes of metric names; "*" alone for all, empty for none.
  std::vector<std::string> metrics;
};

class Subscriptions {
 public:
  Subscription of(const state::Catalog& catalog, Uuid instance, const ClientTraits& client);

 private:
  struct Item {
    ClientMatch match;
    Duration interval;
    std::vector<std::string> metrics;
  };
  void parse(const state::Catalog& catalog);

  std::int32_t version_ = -1;
  std::vector<Item> items_;
};

}  // namespace weir::broker::telemetry
