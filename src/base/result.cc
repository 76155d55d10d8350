#include "base/result.h"

namespace weir {

std::string_view to_string(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid_argument: return "invalid_argument";
    case ErrorCode::corrupt: return "corrupt";
    case ErrorCode::not_found: return "not_found";
    case ErrorCode::already_exists: return "already_exists";
    case ErrorCode::precondition: return "precondition";
    case ErrorCode::unavailable: return "unavailable";
    case ErrorCode::unknown_outcome: return "unknown_outcome";
    case ErrorCode::timed_out: return "timed_out";
    case ErrorCode::out_of_space: return "out_of_space";
    case ErrorCode::configuration: return "configuration";
    case ErrorCode::too_large: return "too_large";
    case ErrorCode::unsupported: return "unsupported";
    case ErrorCode::cancelled: return "cancelled";
    case ErrorCode::closed: return "closed";
    case ErrorCode::internal: return "internal";
  }
  return "internal";
}

std::unexpected<Error> with_context(Error error, std::string_view context) {
  std::string message;
  message.reserve(context.size() + 2 + error.message.size());
  message.append(context).append(": ").append(error.message);
  return fail(error.code, std::move(message));
}

std::string describe(const Error& error) {
  return std::string(to_string(error.code)) + ": " + error.message;
}

}  // namespace weir
