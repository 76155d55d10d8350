// ServerOptions: the limits of a Server, under Kafka's names.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "broker/config/sources.h"
#include "broker/limits.h"
#include "rt/stream.h"

namespace weir::broker {

struct ServerOptions {
  std::size_t frame_bytes_max = kFrameBytesMaxDefault;  // socket.request.max.bytes
  Duration idle_max = 600s;                             // connections.max.idle.ms
  std::size_t connections_max = 2147483647;             // max.connections
  std::size_t connections_per_ip_max = 2147483647;      // max.connections.per.ip
  /// max.connections.per.ip.overrides: address to limit.
  std::map<std::string, std::size_t> per_ip_overrides;
};

/// From the options given at the start and the defaults. Errors: invalid_argument, naming the key.
Result<ServerOptions> server_options(const config::StaticValues& given);

}  // namespace weir::broker
