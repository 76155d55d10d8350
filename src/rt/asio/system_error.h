// From errno to Error.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace weir::rt::asio {

/// The system's sentence for `error`.
std::string system_message(int error);

/// For a file call: "what path: sentence".
Error file_error(int error, std::string_view what, std::string_view path);

/// For a call on a connection: "what: sentence". A connection that the other side ended is
/// `closed`, everything else `unavailable`.
Error stream_error(int error, std::string_view what);

}  // namespace weir::rt::asio
