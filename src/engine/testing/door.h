// Door: a broker's listener as a peer sees it that never asks anything (engine/peer_watch.h).
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "rt/sim/node.h"
#include "rt/stream.h"

namespace weir::engine::testing {

/// Accepts and holds. Made with SimNode::make.
class Door {
 public:
  static constexpr std::uint16_t kPort = 9092;
  explicit Door(rt::sim::SimNode& node) : node_(node) { open(); }
  void open() {
    auto listener = node_.network().listen(node_.loop(), {"", kPort});
    ASSERT_TRUE(listener.has_value());
    listener_ = std::move(*listener);
    node_.spawn(accept());
  }
  /// As a proxy that dies: the broker behind it lives on.
  void close() {
    listener_->close();
    for (auto& stream : held_) stream->close();
    held_.clear();
  }
  /// Who comes is sent away at once.
  void turn_away() { turns_away_ = true; }
  int accepted() const { return accepted_; }

 private:
  rt::Task<void> accept() {
    for (;;) {
      auto stream = co_await listener_->accept(node_.loop());
      if (!stream) co_return;
      ++accepted_;
      if (turns_away_)
        (*stream)->close();
      else
        held_.push_back(std::move(*stream));
    }
  }

  rt::sim::SimNode& node_;
  std::unique_ptr<rt::Listener> listener_;
  std::vector<std::unique_ptr<rt::Stream>> held_;
  bool turns_away_ = false;
  int accepted_ = 0;
};

}  // namespace weir::engine::testing
