// Engine: libcurl's multi handle, driven by our loop.
//
// libcurl calls back while we are inside one of its functions, and must not be entered again from
// there. So completions are collected after each call, and waiting coroutines are posted, never
// resumed in place.
#pragma once

#include <curl/curl.h>

#include <cstddef>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/result.h"
#include "rt/asio/fd_watch.h"
#include "rt/event.h"
#include "rt/scope.h"

namespace weir::http::curl {

class Transfer;

class Engine final : private rt::asio::FdWatch::Listener {
 public:
  explicit Engine(rt::asio::AsioLoop& loop);
  ~Engine() override;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// A clean handle, and back.
  CURL* take_handle();
  void give_handle(CURL* handle);

  Result<void> add(Transfer& transfer);
  /// For a transfer that is given up.
  void remove(Transfer& transfer);

  rt::asio::AsioLoop& loop() { return loop_; }
  bool stopping() const { return stopping_; }
  rt::Task<void> stop();
  std::size_t connections_opened = 0;

 private:
  static int socket_changed(CURL*, curl_socket_t fd, int what, void* self, void*);
  static int timer_changed(CURLM*, long timeout_ms, void* self);
  void on_ready(int fd, bool readable, bool writable) override;
  void act(curl_socket_t fd, int flags);
  void collect_finished();
  rt::Task<void> run_timer();

  rt::asio::AsioLoop& loop_;
  CURLM* multi_;
  std::vector<CURL*> idle_;
  std::unordered_set<Transfer*> active_;
  std::unordered_map<curl_socket_t, std::unique_ptr<rt::asio::FdWatch>> watches_;
  /// When libcurl wants to be called without any socket being ready.
  std::optional<MonoTime> timer_at_;
  rt::Event timer_changed_;
  bool timer_started_ = false;
  bool stopping_ = false;
  rt::Scope scope_;
};

}  // namespace weir::http::curl
