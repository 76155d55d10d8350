// Client: one simulated client, whatever it speaks.
#pragma once

#include <string>

#include "rt/task.h"

namespace weir::sim {

class Client {
 public:
  virtual ~Client() = default;
  /// Works until `finish`, then ends what it has begun.
  virtual rt::Task<void> run() = 0;
  virtual void finish() = 0;
  virtual bool done() const = 0;
  /// For people, when it is stuck.
  virtual std::string describe() const = 0;
};

}  // namespace weir::sim
