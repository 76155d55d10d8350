// What a broker is told from outside: every option of `weir broker`, parsed and cross-checked.
//
// An optional that is empty means "decide by the store, the machine or the cluster"; whoever uses
// it says how in its own header. Values are plain; nothing below `app` knows where they came from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/log.h"
#include "base/result.h"
#include "base/time.h"
#include "rt/stream.h"

namespace weir::cli {
class Settings;
}

namespace weir::app {

enum class Protocol : std::uint8_t { plaintext, ssl, sasl_plaintext, sasl_ssl };
/// As on a listener URL: "plaintext".
std::string_view to_string(Protocol protocol);

struct ListenOption {
  /// Unique; the protocol in capitals when the option gave none.
  std::string name;
  Protocol protocol = Protocol::plaintext;
  /// Port 0 = any.
  rt::Endpoint at;
};

/// What clients are told to connect to, instead of the bound address.
struct AdvertiseOption {
  /// Of one of the listeners.
  std::string listener;
  rt::Endpoint at;
};

/// `--identity`: own = each broker is a node; shared = all of them look like one.
enum class Identity : std::uint8_t { own, shared };

struct KafkaOption {
  std::string name;
  std::string value;
  /// For messages: "--set", "weir.properties line 3".
  std::string source;
};

struct BrokerOptions {
  std::string store_url;
  /// Empty = the log lives in the store.
  std::optional<std::string> log_url;
  std::vector<ListenOption> listen;
  std::vector<AdvertiseOption> advertise;
  /// Empty = no admin HTTP.
  std::optional<rt::Endpoint> admin;
  /// Empty = that of the store, or a random one at genesis.
  std::optional<std::string> cluster_id;
  std::optional<NodeId> node_id;
  std::optional<std::string> zone;
  Identity identity = Identity::own;
  /// Empty = one per core.
  std::optional<unsigned> lanes;
  /// Empty = a quarter of the RAM, at most 4 GiB.
  std::optional<std::uint64_t> memory_bytes;
  /// Empty = by the store.
  std::optional<Duration> flush_interval_min;
  std::optional<Duration> flush_interval_max;
  std::uint64_t segment_bytes_target = 0;
  /// Empty = by the log back end.
  std::optional<std::uint64_t> inline_bytes_max;
  /// Writes a second that the cluster aims at under little load; empty = by the store.
  std::optional<std::uint32_t> request_budget;
  /// How long the remover of log entries waits. Empty = strict mode, which trusts no clock.
  std::optional<Duration> log_grace;
  Duration drain_timeout{};
  /// Kafka broker options, weakest source first: the last of a name counts. Names and values are
  /// checked by the broker.
  std::vector<KafkaOption> kafka;
  LogLevel log_level = LogLevel::info;

  const AdvertiseOption* advertised(const ListenOption& listener) const;
};

/// From settings of `broker_command()`. Errors: invalid_argument, with source and remedy.
Result<BrokerOptions> broker_options(const cli::Settings& settings);

/// "debug", "info", "warn", "error"; anything else is a bug.
LogLevel log_level_of(std::string_view text);

/// The line that scripts wait for: `weir ready listen=plaintext://127.0.0.1:9092 admin=http://…`.
struct ReadyListener {
  Protocol protocol = Protocol::plaintext;
  rt::Endpoint at;
};
std::string ready_line(const std::vector<ReadyListener>& listeners,
                       const std::optional<rt::Endpoint>& admin);

}  // namespace weir::app
