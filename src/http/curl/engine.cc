#include "http/curl/engine.h"

#include <utility>

#include "base/ensure.h"
#include "http/curl/limits.h"
#include "http/curl/transfer.h"

namespace weir::http::curl {

Engine::Engine(rt::asio::AsioLoop& loop)
    : loop_(loop), multi_(curl_multi_init()), timer_changed_(loop), scope_(loop) {
  // Fails only when the process is out of memory.
  ENSURE(multi_ != nullptr);
  curl_multi_setopt(multi_, CURLMOPT_SOCKETFUNCTION, &Engine::socket_changed);
  curl_multi_setopt(multi_, CURLMOPT_SOCKETDATA, this);
  curl_multi_setopt(multi_, CURLMOPT_TIMERFUNCTION, &Engine::timer_changed);
  curl_multi_setopt(multi_, CURLMOPT_TIMERDATA, this);
  curl_multi_setopt(multi_, CURLMOPT_MAX_TOTAL_CONNECTIONS, kConnectionsMax);
  curl_multi_setopt(multi_, CURLMOPT_MAXCONNECTS, kConnectionsMax);
}

Engine::~Engine() {
  ENSURE(active_.empty());
  ENSURE(scope_.running() == 0);
  ENSURE(idle_.empty());
  if (multi_) curl_multi_cleanup(multi_);
}

CURL* Engine::take_handle() {
  if (idle_.empty()) return curl_easy_init();
  CURL* handle = idle_.back();
  idle_.pop_back();
  return handle;
}

void Engine::give_handle(CURL* handle) {
  if (idle_.size() >= kIdleHandlesMax || stopping_) {
    curl_easy_cleanup(handle);
    return;
  }
  curl_easy_reset(handle);
  idle_.push_back(handle);
}

Result<void> Engine::add(Transfer& transfer) {
  // Here and not in the constructor, which may run on another thread.
  if (!std::exchange(timer_started_, true)) scope_.spawn(run_timer());
  CURLMcode code = curl_multi_add_handle(multi_, transfer.handle());
  if (code != CURLM_OK)
    return fail(ErrorCode::unavailable,
                std::string("start a request: ") + curl_multi_strerror(code));
  active_.insert(&transfer);
  return {};
}

void Engine::remove(Transfer& transfer) {
  if (active_.erase(&transfer) == 0) return;
  curl_multi_remove_handle(multi_, transfer.handle());
}

rt::Task<void> Engine::stop() {
  if (std::exchange(stopping_, true)) co_return;
  while (!active_.empty()) {
    Transfer& transfer = **active_.begin();
    remove(transfer);
    transfer.finished(std::nullopt);
  }
  for (CURL* handle : std::exchange(idle_, {})) curl_easy_cleanup(handle);
  timer_changed_.notify_all();
  co_await scope_.join();
  // Here, where the sockets are watched, and not in a destructor on some other thread.
  curl_multi_cleanup(std::exchange(multi_, nullptr));
}

int Engine::socket_changed(CURL*, curl_socket_t fd, int what, void* self, void*) {
  auto& engine = *static_cast<Engine*>(self);
  if (what == CURL_POLL_REMOVE) {
    engine.watches_.erase(fd);
    return 0;
  }
  auto& watch = engine.watches_[fd];
  if (!watch) {
    auto made = rt::asio::FdWatch::make(engine.loop_, fd, engine);
    if (!made) {
      engine.watches_.erase(fd);
      return -1;  // Every transfer of libcurl ends with an error.
    }
    watch = std::move(*made);
  }
  watch->want({.reading = what == CURL_POLL_IN || what == CURL_POLL_INOUT,
               .writing = what == CURL_POLL_OUT || what == CURL_POLL_INOUT});
  return 0;
}

int Engine::timer_changed(CURLM*, long timeout_ms, void* self) {
  auto& engine = *static_cast<Engine*>(self);
  if (timeout_ms < 0) {
    engine.timer_at_.reset();
    return 0;
  }
  engine.timer_at_ = engine.loop_.now() + std::chrono::milliseconds(timeout_ms);
  engine.timer_changed_.notify_all();
  return 0;
}

rt::Task<void> Engine::run_timer() {
  while (!stopping_) {
    if (!timer_at_) {
      // Without a deadline: there is nothing to do until libcurl asks for a timer, or `stop` comes.
      co_await timer_changed_.wait();
    } else if (*timer_at_ <= loop_.now()) {
      timer_at_.reset();
      act(CURL_SOCKET_TIMEOUT, 0);
    } else {
      co_await timer_changed_.wait_until(*timer_at_);
    }
  }
}

void Engine::on_ready(int fd, bool readable, bool writable) {
  act(fd, (readable ? CURL_CSELECT_IN : 0) | (writable ? CURL_CSELECT_OUT : 0));
}

void Engine::act(curl_socket_t fd, int flags) {
  int running = 0;
  curl_multi_socket_action(multi_, fd, flags, &running);
  collect_finished();
}

void Engine::collect_finished() {
  int left = 0;
  while (CURLMsg* message = curl_multi_info_read(multi_, &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    // The message dies with the next call.
    CURLcode code = message->data.result;
    void* owner = nullptr;
    curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &owner);
    auto& transfer = *static_cast<Transfer*>(owner);
    remove(transfer);
    transfer.finished(code);
  }
}

}  // namespace weir::http::curl
