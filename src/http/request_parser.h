// RequestParser: bytes of a connection, in any splits, to HTTP/1.1 requests.
//
// A pure machine: it does no I/O and asks for no time. Header and body sizes are limited while they
// arrive. After a failure the connection cannot be understood any more and must be closed once the
// answer of `error_status` is sent. Parsing itself is Boost.Beast's; it throws nothing past here.
#pragma once

#include <memory>
#include <string>

#include "base/bytes.h"
#include "http/limits.h"
#include "http/message.h"

namespace weir::http {

class RequestParser {
 public:
  enum class State : unsigned char { need_more, complete, failed };

  explicit RequestParser(const ServerLimits& limits);
  ~RequestParser();
  RequestParser(const RequestParser&) = delete;
  RequestParser& operator=(const RequestParser&) = delete;

  /// Takes all of `bytes`; what follows the end of a request is kept for the next one. `bytes` must
  /// be empty while a complete request has not been taken.
  State feed(Bytes bytes);
  /// The complete request. Parsing goes on with `feed`, also of nothing: requests may be pipelined.
  Request take();
  /// Whether a request has begun to arrive.
  bool has_begun() const;
  /// After State::failed: 400, 413, 431 or 505.
  int error_status() const { return error_status_; }

 private:
  struct Impl;
  void restart();

  ServerLimits limits_;
  std::unique_ptr<Impl> impl_;
  std::string pending_;
  State state_ = State::need_more;
  int error_status_ = 0;
};

}  // namespace weir::http
