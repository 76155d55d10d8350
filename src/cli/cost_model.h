// What a cluster costs a month at its store, from its load or from what it has been counted to ask.
//
// Pure. The model follows docs/adr/0013-flush-policy.md: how often brokers flush and create at a
// given load, what they read of each other, what merges write. Prices are list prices of one region
// (objstore/price.h); free tiers, discounts for volume, taxes, machines and traffic to other
// regions are left out. A month has 30.44 days, a gigabyte 10^9 bytes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "objstore/price.h"

namespace weir::cli {

struct CostLoad {
  objstore::StoreKind store = objstore::StoreKind::s3;
  /// Record bytes that producers bring, all brokers together, as they are stored.
  double bytes_per_second = 0;
  std::uint64_t brokers = 1;
  Duration retention = 168h;
  /// Of bytes that are stored, after compression by producers or by `weir.storage.compression`.
  double stored_share = 1;
  /// How many times each byte is read from the store, by consumers that are behind.
  double reads_from_store = 0;
  /// Part of the traffic with clients that crosses zones, and consumers of each record.
  double cross_zone_share = 0;
  double consumers = 1;
  bool consumers_wait = true;
  /// --request-budget; 0: the default of the store.
  double request_budget = 0;
};

struct Bill {
  std::string priced_by;
  double writes_per_second = 0;
  double reads_per_second = 0;
  double written_bytes_per_second = 0;
  double read_bytes_per_second = 0;
  double stored_bytes = 0;

  /// US dollars a month.
  double write_requests = 0;
  double read_requests = 0;
  double storage = 0;
  double store_transfer = 0;
  double zone_transfer = 0;
  double total() const {
    return write_requests + read_requests + storage + store_transfer + zone_transfer;
  }
};

Bill estimate(const CostLoad& load);

/// Counters of a broker at one moment, from its /metrics.
struct CostCounters {
  double writes = 0;
  double lists = 0;
  double reads = 0;
  double written_bytes = 0;
  double read_bytes = 0;
  double flushed_bytes = 0;
};
/// Errors: corrupt, if the text is not what a broker's /metrics says.
Result<CostCounters> cost_counters(std::string_view metrics);
/// What goes on as it did between the two readings costs so much; stored is what `load` keeps of
/// the records that were flushed. `load.bytes_per_second` is not looked at.
Bill bill_of(const CostCounters& before, const CostCounters& after, Duration between,
             const CostLoad& load);

}  // namespace weir::cli
