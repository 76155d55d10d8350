// Random: where ids, jitter and choices come from. Seeded in the simulation, the system's in the
// real world.
#pragma once

#include <cstdint>
#include <cstring>

#include "base/ids.h"

namespace weir::rt {

class Random {
 public:
  virtual ~Random() = default;
  virtual std::uint64_t next() = 0;

  /// 0 … bound-1, for bound > 0. The bias below 2^-32 does not matter for jitter and choices.
  std::uint64_t below(std::uint64_t bound) {
    ENSURE(bound > 0);
    return static_cast<std::uint64_t>(static_cast<unsigned __int128>(next()) * bound >> 64);
  }
  template <class Id>
  Id id128() {
    Id id;
    std::uint64_t words[2] = {next(), next()};
    std::memcpy(id.bytes.data(), words, 16);
    return id;
  }
};

/// SplitMix64: the generator of the simulation and of tests. Equal seeds give equal sequences.
class SeededRandom final : public Random {
 public:
  explicit SeededRandom(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() override {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

 private:
  std::uint64_t state_;
};

}  // namespace weir::rt
