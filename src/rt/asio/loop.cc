#include "rt/asio/loop.h"

#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/post.hpp>

#include "base/ensure.h"
#include "rt/asio/limits.h"
#include "rt/asio/loop_impl.h"

namespace weir::rt::asio {

namespace net = boost::asio;

MonoTime boot_time_now() {
  timespec t{};
  clock_gettime(CLOCK_BOOTTIME, &t);
  return MonoTime(std::chrono::seconds(t.tv_sec) + std::chrono::nanoseconds(t.tv_nsec));
}

AsioLoop::Impl::Impl()
    : guard_(net::make_work_guard(context)), owner_(pthread_self()), timer_(context) {
  int fd = timerfd_create(CLOCK_BOOTTIME, TFD_NONBLOCK | TFD_CLOEXEC);
  // A process that cannot even have its first descriptors cannot start.
  ENSURE(fd >= 0);
  timer_.assign(fd);
  watch_timer();
}

void AsioLoop::Impl::run() {
  adopt();
  while (!stopping_.load(std::memory_order_acquire)) {
    fire_timers();
    drain_inbox();
    run_ready();
    poll_or_sleep();
  }
  stopping_.store(false, std::memory_order_relaxed);
}

void AsioLoop::Impl::stop() {
  stopping_.store(true, std::memory_order_release);
  net::post(context, [] {});
}

void AsioLoop::Impl::post(std::coroutine_handle<> handle) {
  if (is_current()) {
    // What another thread posted before us also runs before us.
    if (inbox_filled_.load(std::memory_order_acquire)) drain_inbox();
    ready_.push_back(handle);
    return;
  }
  bool wake;
  {
    std::lock_guard lock(mutex_);
    inbox_.push_back(handle);
    inbox_filled_.store(true, std::memory_order_release);
    wake = std::exchange(sleeping_, false);
  }
  if (wake) net::post(context, [] {});
}

void AsioLoop::Impl::drain_inbox() {
  if (!inbox_filled_.load(std::memory_order_acquire)) return;
  std::lock_guard lock(mutex_);
  ready_.insert(ready_.end(), inbox_.begin(), inbox_.end());
  inbox_.clear();
  inbox_filled_.store(false, std::memory_order_relaxed);
}

void AsioLoop::Impl::run_ready() {
  for (int round = 0; round < kRoundsPerPoll && !ready_.empty(); ++round) {
    running_.swap(ready_);
    for (std::coroutine_handle<> handle : running_) handle.resume();
    running_.clear();
  }
}

void AsioLoop::Impl::fire_timers() {
  if (timers.empty()) return;
  MonoTime now = boot_time_now();
  while (!timers.empty() && timers.first_at() <= now) ready_.push_back(timers.pop());
}

void AsioLoop::Impl::poll_or_sleep() {
  bool sleep = false;
  if (ready_.empty() && !stopping_.load(std::memory_order_acquire)) {
    arm_timer();
    std::lock_guard lock(mutex_);
    sleep = sleeping_ = inbox_.empty();
  }
  if (!sleep) {
    context.poll();
    return;
  }
  // One handler only: what it posted runs before the next system call.
  context.run_one();
  std::lock_guard lock(mutex_);
  sleeping_ = false;
}

void AsioLoop::Impl::arm_timer() {
  // An alarm that comes too early costs one idle round, so it is not moved when the earliest
  // deadline is cancelled.
  if (timers.empty() || timers.first_at() >= armed_at_) return;
  armed_at_ = timers.first_at();
  Duration at = std::max(armed_at_.time_since_epoch(), Duration(1));
  itimerspec spec{};
  spec.it_value.tv_sec = at / 1s;
  spec.it_value.tv_nsec = (at % 1s).count();
  ENSURE(timerfd_settime(timer_.native_handle(), TFD_TIMER_ABSTIME, &spec, nullptr) == 0);
}

void AsioLoop::Impl::watch_timer() {
  timer_.async_wait(
      net::posix::stream_descriptor::wait_read, [this](const boost::system::error_code& error) {
        if (error) return;
        std::uint64_t expirations = 0;
        ssize_t got = ::read(timer_.native_handle(), &expirations, sizeof expirations);
        if (got > 0) armed_at_ = MonoTime::max();
        watch_timer();
      });
}

AsioLoop::AsioLoop() : impl_(std::make_unique<Impl>()) {}
AsioLoop::~AsioLoop() = default;
void AsioLoop::adopt() { impl_->adopt(); }
void AsioLoop::run() { impl_->run(); }
void AsioLoop::stop() { impl_->stop(); }
MonoTime AsioLoop::now() const { return boot_time_now(); }

WallMillis AsioLoop::wall_now() const {
  timespec t{};
  clock_gettime(CLOCK_REALTIME, &t);
  return WallMillis(std::int64_t{t.tv_sec} * 1000 + t.tv_nsec / 1'000'000);
}

void AsioLoop::post(std::coroutine_handle<> handle) { impl_->post(handle); }
bool AsioLoop::is_current() const { return impl_->is_current(); }

TimerKey AsioLoop::schedule(MonoTime at, std::coroutine_handle<> handle) {
  ENSURE(impl_->is_current());
  return impl_->timers.add(at, handle);
}

bool AsioLoop::cancel(TimerKey key) {
  ENSURE(impl_->is_current());
  return impl_->timers.cancel(key);
}

AsioLoop& asio_loop(Loop& loop) {
  auto* real = dynamic_cast<AsioLoop*>(&loop);
  ENSURE(real != nullptr);
  return *real;
}

}  // namespace weir::rt::asio
