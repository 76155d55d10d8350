// SystemRandom: the kernel's random numbers, fetched a block at a time. Thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "rt/random.h"

namespace weir::rt::asio {

class SystemRandom final : public Random {
 public:
  std::uint64_t next() override;

 private:
  /// Up to 256 bytes come in one piece, whatever signals arrive (getrandom(2)).
  static constexpr std::size_t kWords = 32;
  std::mutex mutex_;
  std::array<std::uint64_t, kWords> words_{};
  std::size_t left_ = 0;
};

}  // namespace weir::rt::asio
