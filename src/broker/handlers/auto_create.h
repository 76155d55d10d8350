// Creating topics because somebody asked about them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "broker/broker.h"
#include "broker/kafka_error.h"
#include "rt/task.h"

namespace weir::broker::handlers {

/// What to answer for a name that could not be created; who is not in it exists now.
using CreationErrors = std::map<std::string, KafkaError, std::less<>>;

/// Creates valid, unknown names with the defaults of the broker's configs, if
/// `auto.create.topics.enable`. Names that somebody else created meanwhile are no error.
rt::Task<CreationErrors> auto_create(Broker& broker, std::vector<std::string> names,
                                     MonoTime deadline);

}  // namespace weir::broker::handlers
