// RequestContext: what a handler may know about the request it serves and about who sent it.
//
// Made by the connection when a frame has arrived; lives until the request is answered. The
// connection it refers to outlives it. `version` is one that the handler's table row serves.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/metrics.h"
#include "base/time.h"
#include "broker/kafka_error.h"
#include "broker/turnstile.h"
#include "rt/loop.h"
#include "rt/stream.h"

namespace weir::broker {

/// One connection, as its requests see it.
struct ConnectionInfo {
  std::uint64_t number = 0;
  std::string listener;
  rt::Endpoint peer;
  /// Where it is read, decoded and answered.
  rt::Loop* lane = nullptr;
  /// From ApiVersions 3+ (KIP-511); written and read on the lane.
  std::string software_name;
  std::string software_version;
  /// Set on the engine's loop when nobody will read answers any more; ends parked fetches.
  bool cancelled = false;
  /// Keeps produce requests in the order of their arrival; used on the engine's loop.
  Turnstile produce_order;

  explicit ConnectionInfo(rt::Loop& engine_loop) : produce_order(engine_loop) {}
};

/// What is counted and timed of one API.
struct ApiMetrics {
  Counter* requests = nullptr;
  /// Items (topics, partitions, …) that were answered with an error.
  Counter* errors = nullptr;
  /// First byte of the frame → whole frame; → answer ready; → answer written.
  Histogram* received = nullptr;
  Histogram* handled = nullptr;
  Histogram* answered = nullptr;
};

struct RequestContext {
  RequestContext(ConnectionInfo& from, const ApiMetrics& api) : connection(from), metrics(api) {}

  ConnectionInfo& connection;
  const ApiMetrics& metrics;
  std::int16_t api_key = 0;
  std::int16_t version = 0;
  std::int32_t correlation_id = 0;
  std::optional<std::string> client_id;
  /// Hint of the client id; a fetch may know the zone better (`rack_id`).
  std::optional<std::string> zone;
  MonoTime arrived;
  /// Ticket for `connection.produce_order`; only Produce has one.
  std::uint64_t ticket = 0;

  /// The code for an answer; counts errors.
  std::int16_t tell(KafkaError error) const {
    if (error != KafkaError::none) metrics.errors->add();
    return code(error);
  }
};

}  // namespace weir::broker
