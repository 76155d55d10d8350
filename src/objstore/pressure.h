// PressureSignal: how a driver says that its store asks for less.
//
// Codes of errors cannot carry it: 503 on a conditional write is unknown_outcome like a broken
// connection, but only the former means that the whole process should slow down.
#pragma once

#include <optional>

#include "base/time.h"

namespace weir::objstore {

class PressureSignal {
 public:
  virtual ~PressureSignal() = default;
  /// The store answered 429, or 503 SlowDown, or the like. `retry_after` is what it asked for, if
  /// it did. On the loop of the store's tasks.
  virtual void throttled(std::optional<Duration> retry_after) = 0;
};

/// For a store that is used without a RequestGate.
class NoPressure final : public PressureSignal {
 public:
  void throttled(std::optional<Duration>) override {}
};

}  // namespace weir::objstore
