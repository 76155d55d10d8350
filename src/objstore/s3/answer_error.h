// What an answer that is not a success lets the caller conclude (docs/design.md, 4c).
//
//   412                      already_exists / precondition: an answer about the object
//   404                      not_found; of a conditional replace: precondition; no such bucket:
//                            configuration
//   409 …Conflict            unavailable: two requests met, neither says anything about the object
//   403, 301, 400, 405, 501  configuration or unsupported: not applied, a person must act
//   expired credentials      unavailable while they can be renewed: not applied
//   500, 502, 503, 504, 429  reads: unavailable. Writes: unknown_outcome, since a server may fail
//                            after it has stored
//   416                      invalid_argument: the object ends before the range does
//
// Messages say which bucket, what the store answered and what to do. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "http/client.h"
#include "objstore/s3/call.h"

namespace weir::objstore::s3 {

struct Asked {
  Call call = Call::get;
  /// "s3://bucket/prefix", for messages.
  std::string_view where;
  std::string_view region;
  /// Where the credentials came from, and whether a later request may have others.
  std::string_view credentials_source;
  bool credentials_renewable = false;
  WallMillis now{};
};

struct Refusal {
  Error error;
  /// The store asks for fewer requests.
  bool throttled = false;
  std::optional<Duration> retry_after;
  /// The credentials were not accepted and should be renewed.
  bool credentials_refused = false;
};

/// Of any answer but 200, 204 and 206.
Refusal refusal_of(const Asked& asked, const http::ClientResponse& answer);
/// Of a code inside a 200: `<Error>` as the root, or the entry of one key.
Refusal refusal_of_code(const Asked& asked, std::string_view code, std::string_view message);
/// Of a request that got no answer.
Error without_answer(const Asked& asked, const Error& error);

}  // namespace weir::objstore::s3
