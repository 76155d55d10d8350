// HandlerTable: which APIs a broker serves, and how their requests may overlap.
//
// One row per API key; ApiVersions advertises exactly the rows. Kafka serves the requests of a
// connection one after another; here they overlap, as far as no client can tell.
#pragma once

#include <cstdint>
#include <span>

#include "base/bytes.h"
#include "broker/reply.h"
#include "broker/request_context.h"
#include "rt/task.h"

namespace weir::broker {

class Broker;

/// Serves one request: runs on the connection's lane, ends there. `body` follows the header.
using HandlerFn = rt::Task<Reply> (*)(Broker& broker, RequestContext& context, SharedBytes body);

enum class Order : std::uint8_t {
  /// Only reads: begins when all earlier writes of the connection have ended.
  reads,
  /// Produce: as reads, and begins after earlier Produces have begun.
  appends,
  /// Changes something: begins when all earlier requests but reads have ended; requests of one API
  /// overlap, beginning in order.
  writes,
};

struct HandlerRow {
  std::int16_t key = 0;
  Order order = Order::reads;
  HandlerFn handle = nullptr;
  /// Asks the client for proof of identity or for versions: served before authentication.
  bool before_authentication = false;
};

struct HandlerTable {
  /// By key, ascending; every key is in wire::api_table().
  std::span<const HandlerRow> rows;
  /// Answer to ApiVersions in a version that we do not have (KIP-511).
  Reply (*refuse_api_versions)(const HandlerTable& table, const RequestContext& context) = nullptr;

  const HandlerRow* find(std::int16_t key) const {
    for (const HandlerRow& row : rows)
      if (row.key == key) return &row;
    return nullptr;
  }
};

}  // namespace weir::broker
