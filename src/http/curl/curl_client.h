// CurlClient: http::Client on libcurl, on one real loop.
//
// libcurl's multi interface says which sockets and which timer it waits for; the loop tells it when
// they are ready. Connections are kept and reused (HTTP/1.1). libcurl repeats nothing that may have
// been applied: a request with a body is never sent twice.
//
// Used on its loop's thread, except for the constructor and the destructor. `stop` must have ended
// before it dies; the loop outlives it.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "http/client.h"
#include "rt/asio/loop.h"

namespace weir::http::curl {

struct CurlOptions {
  /// PEM file of trusted authorities; empty = the system's.
  std::string ca_file;
  /// "http://host:port"; empty = none; nothing = what the usual variables say (https_proxy, …).
  std::optional<std::string> proxy;
};

class Engine;

class CurlClient final : public Client {
 public:
  CurlClient(rt::asio::AsioLoop& loop, CurlOptions options);
  ~CurlClient() override;
  CurlClient(const CurlClient&) = delete;
  CurlClient& operator=(const CurlClient&) = delete;

  rt::Loop& loop() override { return loop_; }
  rt::Task<Result<ClientResponse>> send(ClientRequest request) override;
  /// Ends what is under way with `cancelled`, closes all connections, refuses what comes later.
  rt::Task<void> stop();

  /// Since the start, for tests and measurements.
  std::size_t connections_opened() const;

 private:
  rt::asio::AsioLoop& loop_;
  CurlOptions options_;
  std::unique_ptr<Engine> engine_;
};

}  // namespace weir::http::curl
