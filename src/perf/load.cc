#include "perf/load.h"

namespace weir::perf {

void Outcome::add(const Outcome& other) {
  records += other.records;
  batch_bytes += other.batch_bytes;
  payload_bytes += other.payload_bytes;
  requests += other.requests;
  took = std::max(took, other.took);
  latency.add(other.latency);
}

}  // namespace weir::perf
