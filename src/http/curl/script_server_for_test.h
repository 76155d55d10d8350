// For tests only: a server that reads whole requests and answers with whatever bytes it is told to.
#pragma once

#include <array>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "rt/asio/loop.h"
#include "rt/event.h"
#include "rt/scope.h"
#include "rt/stream.h"

namespace weir::http::curl {

/// Answers every connection as its script says: raw bytes, after it has read a whole request.
class ScriptServer {
 public:
  struct Reply {
    std::string bytes;
    bool close = false;
    /// Answers nothing until the server is closed.
    bool silent = false;
  };
  /// From the number of the request (0, 1, …) and its text.
  using Script = std::function<Reply(int, const std::string&)>;

  ScriptServer(rt::asio::AsioLoop& loop, rt::Network& network, Script script)
      : loop_(loop), script_(std::move(script)), scope_(loop), closed_(loop) {
    listener_ = std::move(network.listen(loop, {"127.0.0.1", 0}).value());
    scope_.spawn(accept_all());
  }
  std::string url(const std::string& path = "/") const {
    return "http://127.0.0.1:" + std::to_string(listener_->local().port) + path;
  }
  const std::vector<std::string>& requests() const { return requests_; }
  int connections() const { return connections_; }
  rt::Task<void> close() {
    listener_->close();
    closing_ = true;
    closed_.notify_all();
    for (auto& stream : streams_) stream->close();
    co_await scope_.join();
  }

 private:
  rt::Task<void> accept_all() {
    for (;;) {
      auto stream = co_await listener_->accept(loop_);
      if (!stream) co_return;
      ++connections_;
      streams_.push_back(std::move(*stream));
      scope_.spawn(serve(*streams_.back()));
    }
  }
  rt::Task<void> serve(rt::Stream& stream) {
    while (true) {
      std::string request;
      if (!co_await read_request(stream, request)) co_return;
      requests_.push_back(request);
      Reply reply = script_(static_cast<int>(requests_.size()) - 1, request);
      while (reply.silent && !closing_) co_await closed_.wait();
      Bytes part = as_bytes(reply.bytes);
      if (!part.empty()) (void)co_await stream.write(std::span(&part, 1));
      if (!reply.close) continue;
      stream.close();
      co_return;
    }
  }
  static rt::Task<bool> read_request(rt::Stream& stream, std::string& request) {
    std::array<std::byte, 65536> bytes;
    while (!is_whole(request)) {
      auto got = co_await stream.read_some(bytes);
      if (!got || *got == 0) co_return false;
      request += as_text(Bytes(bytes).first(*got));
    }
    co_return true;
  }
  static bool is_whole(const std::string& request) {
    std::size_t end = request.find("\r\n\r\n");
    if (end == std::string::npos) return false;
    std::size_t at = request.find("Content-Length: ");
    std::size_t body = at < end ? std::stoul(request.substr(at + 16)) : 0;
    return request.size() >= end + 4 + body;
  }

  rt::asio::AsioLoop& loop_;
  Script script_;
  std::unique_ptr<rt::Listener> listener_;
  std::list<std::unique_ptr<rt::Stream>> streams_;
  std::vector<std::string> requests_;
  int connections_ = 0;
  bool closing_ = false;
  rt::Scope scope_;
  rt::Event closed_;
};

}  // namespace weir::http::curl
