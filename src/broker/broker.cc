#include "broker/broker.h"

namespace weir::broker {

Broker::Broker(const BrokerParts& parts, const HandlerTable& table)
    : parts_(parts),
      table_(table),
      fetch_sessions_(static_cast<std::size_t>(
          config::broker_integer(config_sources(), "max.incremental.fetch.session.cache.slots"))),
      client_metrics_(parts_.metrics) {}

}  // namespace weir::broker
