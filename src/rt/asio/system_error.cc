#include "rt/asio/system_error.h"

#include <errno.h>

#include <system_error>

namespace weir::rt::asio {

namespace {

ErrorCode file_error_code(int error) {
  switch (error) {
    case ENOENT: return ErrorCode::not_found;
    case EEXIST: return ErrorCode::already_exists;
    case ENOSPC:
    case EDQUOT: return ErrorCode::out_of_space;
    case EFBIG: return ErrorCode::too_large;
    // ESTALE: a network file system lost the file handle; opening again may help.
    case EIO:
    case ESTALE:
    case ETIMEDOUT:
    case EAGAIN:
    case EBUSY:
    case EMFILE:
    case ENFILE:
    case ENOLCK:
    case ENOMEM: return ErrorCode::unavailable;
    case EOPNOTSUPP:
    case ENOSYS: return ErrorCode::unsupported;
    case EACCES:
    case EPERM:
    case EROFS:
    case ENOTDIR:
    case EISDIR:
    case ELOOP:
    case EXDEV:
    case EMLINK:
    case ENOTEMPTY:
    case ENAMETOOLONG: return ErrorCode::configuration;
    default: return ErrorCode::internal;
  }
}

}  // namespace

std::string system_message(int error) { return std::generic_category().message(error); }

Error file_error(int error, std::string_view what, std::string_view path) {
  std::string message(what);
  message.append(" ").append(path).append(": ").append(system_message(error));
  return {file_error_code(error), std::move(message)};
}

Error stream_error(int error, std::string_view what) {
  bool ended = error == ECONNRESET || error == EPIPE || error == ECONNABORTED || error == ENOTCONN;
  return {ended ? ErrorCode::closed : ErrorCode::unavailable,
          std::string(what) + ": " + system_message(error)};
}

}  // namespace weir::rt::asio
