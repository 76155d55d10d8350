// Looking topics up without ever saying "unknown" from a stale state (docs/design.md, 3).
#pragma once

#include <vector>

#include "base/result.h"
#include "broker/broker.h"
#include "rt/task.h"
#include "state/catalog.h"

namespace weir::broker {

/// Decides once, for all items of a request, whether a barrier is needed, and runs it at most once.
/// Used on the engine's loop within one handler.
class FreshLook {
 public:
  FreshLook(Broker& broker, MonoTime deadline) : broker_(broker), deadline_(deadline) {}

  /// To be asked when something was not found: after it returns ok, not finding is the truth.
  rt::Task<Result<void>> ensure() {
    if (!done_) {
      result_ = co_await broker_.engine().barrier(deadline_);
      done_ = true;
    }
    co_return result_;
  }
  bool done() const { return done_; }

 private:
  Broker& broker_;
  MonoTime deadline_;
  bool done_ = false;
  Result<void> result_;
};

/// The topic of an item that names it by id if that is not nil, else by name.
inline const state::TopicInfo* find_topic(const state::Catalog& catalog, TopicId id,
                                          std::string_view name) {
  return id.is_nil() ? catalog.topic(name) : catalog.topic(id);
}

inline bool has_partition(const state::TopicInfo& topic, std::int32_t index) {
  return index >= 0 && index < topic.partitions;
}

}  // namespace weir::broker
