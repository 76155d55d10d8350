// Result<T>: how every expected outcome that is not success travels.
//
// One error channel for the whole project: a code for programs, a message for people. Context is
// added on the way up with `with_context`, so that the message that reaches a log says what
// happened, where, and what to do.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <utility>

namespace weir {

/// What a caller can do about an error. Kafka's codes exist only in `broker/`.
enum class ErrorCode : unsigned char {
  invalid_argument,  // the caller's input is wrong; trying again cannot help
  corrupt,           // bytes do not match their checksum or format
  not_found,         // the named thing does not exist
  already_exists,    // create-if-absent lost
  precondition,      // if-match or another guard did not hold
  unavailable,       // passing fault, nothing was applied: try again
  unknown_outcome,   // the request may or may not have been applied
  timed_out,         // the deadline passed; may or may not have been applied
  out_of_space,      // the disk or a quota is full
  configuration,     // refused until a person changes something (permission, no such bucket, …)
  too_large,         // over a limit
  unsupported,       // not offered by this store, format level or version
  cancelled,         // the operation was stopped because its owner stops
  closed,            // the other side, or we, closed the connection
  internal,          // a bug that did not need to abort
};

std::string_view to_string(ErrorCode code);

struct Error {
  ErrorCode code = ErrorCode::internal;
  std::string message;

  bool is(ErrorCode other) const { return code == other; }
};

template <class T = void>
using Result = std::expected<T, Error>;

[[nodiscard]] inline std::unexpected<Error> fail(ErrorCode code, std::string message) {
  return std::unexpected(Error{code, std::move(message)});
}

/// The same error with "context: " before its message.
[[nodiscard]] std::unexpected<Error> with_context(Error error, std::string_view context);

/// "code: message", for logs.
std::string describe(const Error& error);

}  // namespace weir

/// Evaluates `expression` (a Result) and returns its error from the enclosing function.
#define WEIR_TRY(expression)                                        \
  do {                                                              \
    if (auto try_result_ = (expression); !try_result_) [[unlikely]] \
      return ::std::unexpected(::std::move(try_result_).error());   \
  } while (false)

/// As WEIR_TRY, inside a coroutine.
#define WEIR_CO_TRY(expression)                                      \
  do {                                                               \
    if (auto try_result_ = (expression); !try_result_) [[unlikely]]  \
      co_return ::std::unexpected(::std::move(try_result_).error()); \
  } while (false)
