#include "http/curl/curl_client.h"

#include <curl/curl.h>

#include "base/ensure.h"
#include "http/curl/engine.h"
#include "http/curl/transfer.h"

namespace weir::http::curl {

CurlClient::CurlClient(rt::asio::AsioLoop& loop, CurlOptions options)
    : loop_(loop), options_(std::move(options)) {
  // Counted by libcurl, so that several clients may do it.
  curl_global_init(CURL_GLOBAL_DEFAULT);
  engine_ = std::make_unique<Engine>(loop);
}

CurlClient::~CurlClient() {
  engine_.reset();
  curl_global_cleanup();
}

rt::Task<Result<ClientResponse>> CurlClient::send(ClientRequest request) {
  ENSURE(loop_.is_current());
  if (engine_->stopping())
    co_return fail(ErrorCode::unavailable, "the HTTP client is being stopped");
  Transfer transfer(*engine_, request);
  WEIR_CO_TRY(transfer.start(options_));
  // Without a deadline of ours: the transfer has the request's timeout, and `stop` ends it.
  co_await transfer.done();
  co_return transfer.result();
}

rt::Task<void> CurlClient::stop() { return engine_->stop(); }

std::size_t CurlClient::connections_opened() const { return engine_->connections_opened; }

}  // namespace weir::http::curl
