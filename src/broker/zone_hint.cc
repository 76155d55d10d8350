#include "broker/zone_hint.h"

#include <algorithm>
#include <array>

#include "broker/limits.h"

namespace weir::broker {
namespace {

constexpr std::string_view kSeparators = ",;&| \t";
constexpr std::array<std::string_view, 6> kKeys = {"zone",          "zone_id",   "ws_az",
                                                   "warpstream_az", "automq_az", "diskless_az"};

bool is_zone_key(std::string_view key) { return std::ranges::find(kKeys, key) != kKeys.end(); }

}  // namespace

std::optional<std::string> zone_of_client_id(std::string_view client_id) {
  // Nearly every client id has no hint.
  if (client_id.find('=') == std::string_view::npos) return std::nullopt;
  while (!client_id.empty()) {
    const std::size_t cut = std::min(client_id.find_first_of(kSeparators), client_id.size());
    const std::string_view item = client_id.substr(0, cut);
    client_id.remove_prefix(std::min(cut + 1, client_id.size()));
    const std::size_t equals = item.find('=');
    if (equals == std::string_view::npos || !is_zone_key(item.substr(0, equals))) continue;
    const std::string_view value = item.substr(equals + 1);
    if (!value.empty() && value.size() <= kZoneBytesMax) return std::string(value);
  }
  return std::nullopt;
}

}  // namespace weir::broker
