// RepeatedWarning: a warning whose cause may repeat many times a second, said once in a while.
//
// A store that is down fails every try, and its log lines would bury the others. The first one is
// said at once, then one in kWarningPause, with how many were left out in between. A value, used on
// the engine's loop.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "base/time.h"
#include "engine/limits.h"

namespace weir::engine {

class RepeatedWarning {
 public:
  /// Whether it is to be said now; else it is counted.
  bool due(MonoTime now) {
    if (said_ && now - *said_ < kWarningPause) {
      ++left_out_;
      return false;
    }
    said_ = now;
    return true;
  }
  /// How many were left out since the one before.
  std::int64_t take_left_out() { return std::exchange(left_out_, 0); }

 private:
  std::optional<MonoTime> said_;
  std::int64_t left_out_ = 0;
};

}  // namespace weir::engine
