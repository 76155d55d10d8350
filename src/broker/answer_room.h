// AnswerRoom: memory of an answer that may be many times as large as its request.
//
// A few bytes can ask for all that the state knows of something. The rule for every such handler:
// what a request names several times is answered once (handlers/repeated.h), each item takes its
// bytes of the pool *out* before it is built, the bytes are held until the answer is written, and
// building lets others run now and then. An item for which there is no room is refused.
//
// Only the first bytes may be waited for: who holds some of the pool never waits for more, so two
// answers cannot wait for each other. One item alone may exceed the pool, which must then be empty.
// Small answers are not counted: a full pool stops no ordinary client. Lives in the frame of
// `serve_large`; used on the engine's loop.
#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include "broker/broker.h"
#include "broker/reply.h"
#include "broker/request_context.h"
#include "rt/task.h"

namespace weir::broker {

class AnswerRoom {
 public:
  AnswerRoom(Broker& broker, const RequestContext& context) : broker_(broker), context_(context) {}

  /// Call before (or, for an item that is small by itself, after) `bytes` are built. False: refuse
  /// the item, and all that follow. May suspend, so views of the catalog end here.
  rt::Task<bool> take(std::size_t bytes);
  /// For the refusal of an item: what happened and what to do. `what` are the items, in plural.
  std::string refusal(std::string_view what) const;

  PoolHold release() { return std::exchange(hold_, PoolHold()); }

 private:
  rt::Task<bool> reserve(std::size_t bytes);

  Broker& broker_;
  const RequestContext& context_;
  PoolHold hold_;
  std::size_t uncounted_ = 0;
  std::size_t unyielded_ = 0;
  bool full_ = false;
};

}  // namespace weir::broker
