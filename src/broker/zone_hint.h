// The zone that a client says it is in, inside its client id.
//
// Several vendors made clients put `key=value` items into `client.id`, each with its own key and
// separators (docs/design.md, 12). All of them are understood, so that a client needs no change. A
// hint never fails a request and never grants anything.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace weir::broker {

/// Value of the first item whose key is one of zone, zone_id, ws_az, warpstream_az, automq_az,
/// diskless_az; items are separated by any of `, ; & |` or blanks. Nothing if empty or too long.
std::optional<std::string> zone_of_client_id(std::string_view client_id);

}  // namespace weir::broker
