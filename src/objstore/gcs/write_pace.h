// WritePace: when the next write of a name may start.
//
// The store takes about one write a second of one name and answers 429 to more. Names are almost
// all written once, so only those of the last moment are remembered. Pure; the caller waits.
#pragma once

#include <deque>
#include <map>
#include <string>

#include "base/time.h"

namespace weir::objstore::gcs {

class WritePace {
 public:
  explicit WritePace(Duration gap) : gap_(gap) {}
  /// Reserves the next turn for `name` and tells when it is: now, or later.
  MonoTime next(const std::string& name, MonoTime now);
  std::size_t remembered() const { return turns_.size(); }

 private:
  Duration gap_;
  std::map<std::string, MonoTime, std::less<>> turns_;
  /// In the order of their turns' making.
  std::deque<std::pair<MonoTime, std::string>> order_;
};

}  // namespace weir::objstore::gcs
