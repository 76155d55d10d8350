#include "rt/asio/signals.h"

#include <signal.h>

#include <boost/asio/signal_set.hpp>

#include "rt/asio/loop_impl.h"
#include "rt/event.h"

namespace weir::rt::asio {

/// Shared with the handler that asio holds, which may outlive the SystemSignals by one round.
struct SystemSignals::State : std::enable_shared_from_this<State> {
  explicit State(AsioLoop& loop) : signals(loop.impl().context), arrived(loop) {}

  void watch() {
    signals.async_wait([self = shared_from_this()](const boost::system::error_code& error, int n) {
      if (error) return;
      self->last = n;
      self->arrived.notify_all();
      self->watch();
    });
  }

  boost::asio::signal_set signals;
  Event arrived;
  /// Signals do not queue: the newest wins.
  int last = 0;
  bool stopped = false;
};

SystemSignals::SystemSignals(AsioLoop& loop) : state_(std::make_shared<State>(loop)) {
  boost::system::error_code ignored;  // only an invalid signal number fails
  state_->signals.add(SIGTERM, ignored);
  state_->signals.add(SIGINT, ignored);
  state_->watch();
}

SystemSignals::~SystemSignals() { stop(); }

Task<int> SystemSignals::wait() {
  std::shared_ptr<State> state = state_;
  while (state->last == 0 && !state->stopped) co_await state->arrived.wait();
  co_return std::exchange(state->last, 0);
}

void SystemSignals::stop() {
  state_->stopped = true;
  boost::system::error_code ignored;
  state_->signals.clear(ignored);
  state_->signals.cancel(ignored);
  state_->arrived.notify_all();
}

}  // namespace weir::rt::asio
