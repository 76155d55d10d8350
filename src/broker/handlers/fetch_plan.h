// From a fetch request to partitions that can be read: sessions in, names and ids resolved, epochs
// judged.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "broker/broker.h"
#include "broker/fetch_session.h"
#include "broker/placement.h"
#include "rt/task.h"
#include "wire/fetch.h"

namespace weir::broker::handlers {

struct ResolvedAsk {
  FetchAsk ask;
  state::PartitionRef at;
  KafkaError error = KafkaError::none;
};

FetchSessionRequest session_request(const wire::FetchRequest& request, std::int16_t version);

/// In the order of `asks`. Runs at most one barrier, and only where something would be refused.
rt::Task<std::vector<ResolvedAsk>> resolve(Broker& broker, const RequestContext& context,
                                           const std::vector<FetchAsk>& asks,
                                           const std::optional<std::string>& zone);

}  // namespace weir::broker::handlers
