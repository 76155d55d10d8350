#include "app/options.h"

#include <algorithm>

#include "base/ensure.h"
#include "base/narrow.h"
#include "base/units.h"
#include "broker/limits.h"
#include "cli/settings.h"
#include "client/bootstrap.h"

namespace weir::app {
namespace {

constexpr std::size_t kClusterIdBytesMax = 255;

std::unexpected<Error> wrong(const cli::Setting& setting, std::string_view what) {
  return fail(ErrorCode::invalid_argument,
              setting.source + ": '" + setting.text + "' " + std::string(what));
}

bool is_name(std::string_view text) {
  if (text.empty()) return false;
  for (char c : text)
    if (!(c >= 'A' && c <= 'Z') && !(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') && c != '_' &&
        c != '-' && c != '.')
      return false;
  return true;
}

std::string upper_case(std::string_view text) {
  std::string upper(text);
  for (char& c : upper)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return upper;
}

std::optional<Protocol> protocol_of(std::string_view text) {
  for (Protocol protocol :
       {Protocol::plaintext, Protocol::ssl, Protocol::sasl_plaintext, Protocol::sasl_ssl})
    if (upper_case(to_string(protocol)) == upper_case(text)) return protocol;
  return std::nullopt;
}

/// Takes "NAME=" off the front; empty if there is none.
std::string take_name(std::string_view& text) {
  std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) return {};
  std::string name(text.substr(0, equals));
  text.remove_prefix(equals + 1);
  return name;
}

Result<ListenOption> parse_listen(const cli::Setting& setting) {
  std::string_view text = setting.text;
  ListenOption listener;
  bool named = text.find('=') != std::string_view::npos;
  listener.name = take_name(text);
  if (named && !is_name(listener.name))
    return wrong(setting, "has a listener name with other characters than letters, digits, _ . -");
  if (std::size_t scheme = text.find("://"); scheme != std::string_view::npos) {
    std::optional<Protocol> protocol = protocol_of(text.substr(0, scheme));
    if (!protocol)
      return wrong(
          setting,
          "has an unknown protocol; there are plaintext, ssl, sasl_plaintext and sasl_ssl");
    listener.protocol = *protocol;
    text.remove_prefix(scheme + 3);
  }
  // Refused here rather than ignored: a listener that looks safe and is not would be worse.
  if (listener.protocol != Protocol::plaintext)
    return wrong(setting, "needs TLS or SASL, which this version does not have; use plaintext://");
  Result<rt::Endpoint> endpoint = client::parse_endpoint(text);
  if (!endpoint) return with_context(endpoint.error(), setting.source);
  listener.at = std::move(*endpoint);
  if (!named) listener.name = upper_case(to_string(listener.protocol));
  return listener;
}

Result<void> read_listeners(const cli::Settings& settings, BrokerOptions& options) {
  for (const cli::Setting& setting : settings.all("listen")) {
    Result<ListenOption> listener = parse_listen(setting);
    if (!listener) return std::unexpected(listener.error());
    for (const ListenOption& other : options.listen)
      if (other.name == listener->name)
        return wrong(setting, "is a second listener named " + listener->name +
                                  "; give each a name, as in NAME=HOST:PORT");
    options.listen.push_back(std::move(*listener));
  }
  return {};
}

Result<void> read_advertised(const cli::Settings& settings, BrokerOptions& options) {
  for (const cli::Setting& setting : settings.all("advertise")) {
    std::string_view text = setting.text;
    AdvertiseOption advertise{.listener = take_name(text)};
    if (advertise.listener.empty()) {
      if (options.listen.size() != 1)
        return wrong(setting, "does not say for which listener; write NAME=HOST:PORT");
      advertise.listener = options.listen.front().name;
    }
    bool known = false;
    for (const ListenOption& listener : options.listen)
      known |= listener.name == advertise.listener;
    if (!known) return wrong(setting, "names no listener; --listen lists them");
    for (const AdvertiseOption& other : options.advertise)
      if (other.listener == advertise.listener)
        return wrong(setting, "is a second advertised address of one listener");
    Result<rt::Endpoint> endpoint = client::parse_endpoint(text);
    if (!endpoint) return with_context(endpoint.error(), setting.source);
    // Port 0 here means the port that was bound, for tests and containers.
    if (endpoint->host.empty() || endpoint->host == "*")
      return wrong(setting, "is no address that a client could connect to");
    advertise.at = std::move(*endpoint);
    options.advertise.push_back(std::move(advertise));
  }
  return {};
}

Result<void> read_admin(const cli::Settings& settings, BrokerOptions& options) {
  const cli::Setting& setting = settings.one("admin");
  if (setting.text == "off") return {};
  Result<rt::Endpoint> endpoint = client::parse_endpoint(setting.text);
  if (!endpoint) return with_context(endpoint.error(), setting.source);
  options.admin = std::move(*endpoint);
  return {};
}

Result<void> read_kafka_options(const cli::Settings& settings, BrokerOptions& options) {
  for (const cli::Setting& setting : settings.all("set")) {
    std::size_t equals = setting.text.find('=');
    if (equals == std::string::npos || equals == 0)
      return wrong(setting, "is not of the form kafka.option=value");
    options.kafka.push_back({.name = setting.text.substr(0, equals),
                             .value = setting.text.substr(equals + 1),
                             .source = setting.source});
  }
  return {};
}

Result<void> read_flush(const cli::Settings& settings, BrokerOptions& options) {
  for (auto [name, target] : {std::pair{"flush-interval-min", &options.flush_interval_min},
                              std::pair{"flush-interval-max", &options.flush_interval_max}}) {
    if (!settings.has(name)) continue;
    *target = settings.duration(name);
    if (!*target) return wrong(settings.one(name), "would never flush; give a time, as in 250ms");
  }
  if (options.flush_interval_min && options.flush_interval_max &&
      *options.flush_interval_min > *options.flush_interval_max)
    return wrong(settings.one("flush-interval-min"),
                 "is longer than flush-interval-max, " + settings.text("flush-interval-max"));
  return {};
}

Result<void> read_sizes(const cli::Settings& settings, BrokerOptions& options) {
  constexpr std::uint64_t kMemoryMin = 64ull << 20;
  constexpr std::uint64_t kSegmentMin = 64ull << 10;
  constexpr std::uint64_t kSegmentMax = 1ull << 30;
  constexpr std::uint64_t kInlineMax = 64ull << 20;
  if (settings.has("memory")) {
    options.memory_bytes = settings.size("memory");
    if (*options.memory_bytes < kMemoryMin)
      return wrong(settings.one("memory"), "is too little; a broker needs at least 64MiB");
  }
  options.segment_bytes_target = settings.size("segment-bytes");
  if (options.segment_bytes_target < kSegmentMin || options.segment_bytes_target > kSegmentMax)
    return wrong(settings.one("segment-bytes"), "is outside 64KiB to 1GiB");
  if (settings.has("inline-bytes")) {
    options.inline_bytes_max = settings.size("inline-bytes");
    if (*options.inline_bytes_max > kInlineMax)
      return wrong(settings.one("inline-bytes"), "is more than 64MiB");
  }
  return {};
}

Result<void> read_times(const cli::Settings& settings, BrokerOptions& options) {
  if (settings.text("log-grace") != "none") {
    Result<std::optional<Duration>> grace = parse_duration(settings.text("log-grace"));
    if (!grace) return with_context(grace.error(), settings.one("log-grace").source);
    options.log_grace = *grace;
    if (!options.log_grace || *options.log_grace <= Duration(0))
      return wrong(settings.one("log-grace"), "is no time; give one, as in 5m, or none");
  }
  std::optional<Duration> drain = settings.duration("drain-timeout");
  if (!drain)
    return wrong(settings.one("drain-timeout"), "would never end; give a time, as in 30s");
  options.drain_timeout = *drain;
  return {};
}

std::optional<std::string> text_of(const cli::Settings& settings, std::string_view name) {
  if (!settings.has(name)) return std::nullopt;
  return settings.text(name);
}

}  // namespace

std::string_view to_string(Protocol protocol) {
  switch (protocol) {
    case Protocol::plaintext: return "plaintext";
    case Protocol::ssl: return "ssl";
    case Protocol::sasl_plaintext: return "sasl_plaintext";
    case Protocol::sasl_ssl: return "sasl_ssl";
  }
  return "plaintext";
}

LogLevel log_level_of(std::string_view text) {
  if (text == "debug") return LogLevel::debug;
  if (text == "info") return LogLevel::info;
  if (text == "warn") return LogLevel::warn;
  ENSURE(text == "error");
  return LogLevel::error;
}

const AdvertiseOption* BrokerOptions::advertised(const ListenOption& listener) const {
  for (const AdvertiseOption& option : advertise)
    if (option.listener == listener.name) return &option;
  return nullptr;
}

namespace {

/// Every byte of UTF-8 text but controls.
bool is_printable(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x20 && byte != 0x7f;
}

Result<void> read_names(const cli::Settings& settings, BrokerOptions& options) {
  options.cluster_id = text_of(settings, "cluster-id");
  if (options.cluster_id && options.cluster_id->empty())
    return wrong(
        settings.one("cluster-id"),
        "is empty; leave it out to take the store's, or to let a new store get a random one");
  if (options.cluster_id &&
      (!is_name(*options.cluster_id) || options.cluster_id->size() > kClusterIdBytesMax))
    return wrong(settings.one("cluster-id"),
                 "may hold letters, digits, '-', '_' and '.', at most " +
                     std::to_string(kClusterIdBytesMax) + " of them");
  options.zone = text_of(settings, "zone");
  if (options.zone && options.zone->size() > broker::kZoneBytesMax)
    return wrong(settings.one("zone"),
                 "is longer than " + std::to_string(broker::kZoneBytesMax) + " bytes; shorten it");
  if (options.zone && !std::ranges::all_of(*options.zone, is_printable))
    return wrong(settings.one("zone"), "has control characters; write a plain name, as in eu-1a");
  return {};
}

}  // namespace

Result<BrokerOptions> broker_options(const cli::Settings& settings) {
  BrokerOptions options;
  options.store_url = settings.text("store");
  options.log_url = text_of(settings, "log");
  WEIR_TRY(read_listeners(settings, options));
  WEIR_TRY(read_advertised(settings, options));
  WEIR_TRY(read_admin(settings, options));
  WEIR_TRY(read_flush(settings, options));
  WEIR_TRY(read_sizes(settings, options));
  WEIR_TRY(read_times(settings, options));
  WEIR_TRY(read_kafka_options(settings, options));
  WEIR_TRY(read_names(settings, options));
  if (settings.has("node-id"))
    options.node_id = NodeId(narrow<std::int32_t>(settings.integer("node-id")));
  if (settings.text("identity") == "shared") options.identity = Identity::shared;
  if (settings.has("lanes")) options.lanes = narrow<unsigned>(settings.integer("lanes"));
  if (settings.has("request-budget"))
    options.request_budget = narrow<std::uint32_t>(settings.integer("request-budget"));
  options.log_level = log_level_of(settings.text("log-level"));
  return options;
}

std::string ready_line(const std::vector<ReadyListener>& listeners,
                       const std::optional<rt::Endpoint>& admin) {
  std::string line = "weir ready";
  for (const ReadyListener& listener : listeners)
    line.append(" listen=")
        .append(to_string(listener.protocol))
        .append("://")
        .append(listener.at.text());
  if (admin) line.append(" admin=http://").append(admin->text());
  return line;
}

}  // namespace weir::app
