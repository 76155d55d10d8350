// What an answer of Google Cloud Storage that is not a success lets the caller conclude (docs/
// design.md, 4c).
//
//   412                      already_exists / precondition: an answer about the object
//   404                      not_found; configuration if the bucket is what is missing, and for
//                            creates, which cannot miss an object
//   409                      unavailable: two requests met; nothing was applied
//   401                      unavailable: the token is renewed, nothing was applied
//   403, 400, 405            configuration, invalid_argument: not applied. A 403 that names a rate
//                            counts as 429, a 400 that names a checksum as unavailable: the bytes
//                            were damaged, or changed, on their way
//   408, 429, 5xx            reads: unavailable. Writes: unknown_outcome, for a server may fail
//   after
//                            it has stored
//   416                      invalid_argument: the object ends before the range does
//
// Pure.
#pragma once

#include <optional>
#include <string_view>

#include "base/result.h"
#include "http/client.h"
#include "objstore/request.h"

namespace weir::objstore::gcs {

struct Refusal {
  Error error;
  /// The store asks for fewer requests.
  bool throttled = false;
  std::optional<Duration> retry_after;
  bool token_refused = false;
};

/// `where`: "gs://bucket/prefix", for messages.
Refusal refusal_of(Verb verb, const http::ClientResponse& answer, std::string_view where);
/// Of a request that got no answer.
Error without_answer(Verb verb, Error error);

}  // namespace weir::objstore::gcs
