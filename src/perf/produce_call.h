// One Produce request of the load program: its shape, and the check of its answer.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "client/connection.h"
#include "perf/load.h"

namespace weir::perf {

using PartitionBatches = std::vector<std::pair<PartitionIndex, BytesChain>>;

/// Sends and waits for the answer (with acks 0: until it is written). Errors: those of the call;
/// what the broker refused, by partition; corrupt if a partition is not answered for.
rt::Task<Result<void>> call_produce(client::Connection& connection, const ProduceOptions& options,
                                    PartitionBatches batches, MonoTime deadline);

struct ProducerIdentity {
  ProducerId id{-1};
  ProducerEpoch epoch{-1};
};
/// Asks again while the broker says that it may help. Errors: those of the call and of the broker.
rt::Task<Result<ProducerIdentity>> init_producer(rt::Loop& loop, client::Connection& connection,
                                                 MonoTime deadline);

}  // namespace weir::perf
