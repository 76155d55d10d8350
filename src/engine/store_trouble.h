// StoreTrouble: since when the store has not taken what this broker writes.
//
// Readiness must follow the store: a broker on a full disk accepts connections and answers each
// produce with an error, while another one could serve. A single failure says nothing, for requests
// are repeated; what has failed for kTroubleShownAfter without a success in between does. A value,
// used on the engine's loop.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "base/time.h"

namespace weir::engine {

class StoreTrouble {
 public:
  void failed(MonoTime now, const Error& error) {
    if (!since_) since_ = now;
    last_ = now;
    what_ = describe(error);
  }
  void succeeded() { since_.reset(); }

  std::optional<MonoTime> since() const { return since_; }
  MonoTime last() const { return last_; }
  /// Of the last failure.
  const std::string& what() const { return what_; }

 private:
  std::optional<MonoTime> since_;
  MonoTime last_{};
  std::string what_;
};

}  // namespace weir::engine
