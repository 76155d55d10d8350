// Transfer: one request on its way, and the answer as it comes in.
//
// Lives in the frame of CurlClient::send. The body is read out of the request's shared buffers
// straight into libcurl's send buffer, and the answer goes from its receive buffer into one buffer
// of the announced length. Destroying a transfer gives the request up.
#pragma once

#include <curl/curl.h>

#include <array>
#include <coroutine>
#include <optional>
#include <string_view>

#include "http/client.h"
#include "http/curl/curl_client.h"
#include "http/curl/engine.h"

namespace weir::http::curl {

class Transfer {
 public:
  /// Both outlive it.
  Transfer(Engine& engine, const ClientRequest& request);
  ~Transfer();
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  Result<void> start(const CurlOptions& options);
  /// co_await transfer.done(): until the exchange has ended in some way.
  auto done() {
    struct Awaiter {
      Transfer& transfer;
      bool await_ready() const { return transfer.ended_; }
      void await_suspend(std::coroutine_handle<> handle) const { transfer.waiting_ = handle; }
      void await_resume() const {}
    };
    return Awaiter{*this};
  }
  Result<ClientResponse> result();

  CURL* handle() { return handle_; }
  /// From the engine: how it ended; nothing = the client is being stopped.
  void finished(std::optional<CURLcode> code);

 private:
  static std::size_t read_body(char* into, std::size_t size, std::size_t items, void* self);
  static int rewind_body(void* self, curl_off_t offset, int origin);
  static std::size_t take_header(char* bytes, std::size_t size, std::size_t items, void* self);
  static std::size_t take_body(char* bytes, std::size_t size, std::size_t items, void* self);
  Result<void> set_options(const CurlOptions& options);
  void set_body();
  bool add_header_line(std::string_view line);
  bool append(Bytes bytes);
  bool make_room(std::size_t more);
  bool anything_sent() const;

  Engine& engine_;
  const ClientRequest& request_;
  CURL* handle_;
  curl_slist* header_list_ = nullptr;
  std::array<char, CURL_ERROR_SIZE> message_{};
  // Where reading the body stands.
  std::size_t part_ = 0;
  std::size_t part_at_ = 0;
  // The answer.
  HeaderFields headers_;
  std::size_t header_bytes_ = 0;
  Buffer body_;
  std::size_t body_bytes_ = 0;
  bool too_large_ = false;

  std::optional<CURLcode> code_;
  bool ended_ = false;
  std::coroutine_handle<> waiting_;
};

}  // namespace weir::http::curl
