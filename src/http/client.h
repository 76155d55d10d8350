// Client: HTTP requests to other people's servers, one at a time or thousands side by side.
//
// What object stores, token services and metadata services need: whole requests out, whole answers
// back, both in shared buffers. There are no redirects, cookies or retries here: their meaning
// belongs to the caller. Every HTTP status is an answer, not an error. What the caller may conclude
// from an error:
//
//   unavailable        no byte was sent (name, connect, TLS handshake): try again
//   configuration      the same, but only a person can mend it (URL, untrusted certificate)
//   unknown_outcome    the connection broke after the request began: it may be applied
//   timed_out          the same, because `timeout` passed
//   too_large          the answer is longer than `response_bytes_max`: it may be applied
//   corrupt            the answer is not HTTP: it may be applied
//   cancelled          the client is being shut down: it may be applied
//
// Messages name the host, never the query, headers or body, which may hold secrets.
//
// A client belongs to one loop, `loop()`: `send` is called there and ends there. Whoever lives on
// another loop hops there and back (rt::resume_on), so that signing, TLS and checksums cost that
// loop nothing. A client outlives the tasks that it handed out; a task may be destroyed while it
// waits, which gives the request up.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "base/time.h"
#include "http/limits.h"
#include "rt/loop.h"
#include "rt/task.h"

namespace weir::http {

enum class Method : unsigned char { get, head, put, post, patch, remove };
/// "GET", …; `remove` is DELETE.
std::string_view to_string(Method method);

using HeaderFields = std::vector<std::pair<std::string, std::string>>;

struct ClientRequest {
  Method method = Method::get;
  /// Absolute, http or https, with everything that needs an escape escaped. Sent as it stands.
  std::string url;
  /// Host, Content-Length and Connection are added; nothing else is.
  HeaderFields headers;
  /// Sent for put, post and patch, also when empty. Not copied: its parts may not change until the
  /// task ends.
  BytesChain body;
  std::size_t response_bytes_max = kClientResponseBytesMax;
  /// From the call to the last byte of the answer, waiting for a connection included.
  Duration timeout = kClientTimeout;
  Duration connect_timeout = kClientConnectTimeout;
  /// Whether a configured proxy is used; metadata services are link-local and need a direct way.
  bool use_proxy = true;
};

struct ClientResponse {
  int status = 0;
  /// Names in lower case, in the order of arrival.
  HeaderFields headers;
  SharedBytes body;

  /// The first field of that lower-case name; null if there is none.
  const std::string* header(std::string_view name) const;
  std::string_view text() const { return as_text(body.view()); }
};

class Client {
 public:
  virtual ~Client() = default;
  virtual rt::Loop& loop() = 0;
  virtual rt::Task<Result<ClientResponse>> send(ClientRequest request) = 0;
};

}  // namespace weir::http
