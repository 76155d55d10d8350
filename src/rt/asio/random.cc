#include "rt/asio/random.h"

#include <sys/random.h>

#include <utility>

#include "base/ensure.h"

namespace weir::rt::asio {

std::uint64_t SystemRandom::next() {
  std::lock_guard lock(mutex_);
  if (left_ == 0) {
    ENSURE(getrandom(words_.data(), sizeof words_, 0) == sizeof words_);
    left_ = kWords;
  }
  // Forgotten once given out: the numbers may become secrets.
  return std::exchange(words_[--left_], 0);
}

}  // namespace weir::rt::asio
