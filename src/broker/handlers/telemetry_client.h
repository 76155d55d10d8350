// Who a client is to the subscriptions of client metrics: what both telemetry APIs look at.
#pragma once

#include "broker/request_context.h"
#include "broker/telemetry/client_metrics.h"

namespace weir::broker::handlers {

inline telemetry::ClientTraits telemetry_client(const RequestContext& context, Uuid instance) {
  return {.client_instance_id = telemetry::instance_text(instance),
          .client_id = context.client_id.value_or(""),
          .client_software_name = context.connection.software_name,
          .client_software_version = context.connection.software_version,
          .client_source_address = context.connection.peer.host,
          .client_source_port = std::to_string(context.connection.peer.port)};
}

}  // namespace weir::broker::handlers
