// Turnstile: lets tasks through in the order of their tickets.
//
// Produce requests of one connection may take different times until they reach the engine (some
// batches are decompressed on a worker first), but must be appended in the order of arrival. Each
// takes a ticket when it arrives, and passes when all earlier tickets have left. Where nothing is
// slow nobody waits. Used on one loop.
#pragma once

#include <cstdint>
#include <set>

#include "rt/event.h"

namespace weir::broker {

class Turnstile {
 public:
  explicit Turnstile(rt::Loop& loop) : left_(loop) {}

  /// From any thread that orders its own calls: tickets are handed out by the lane.
  std::uint64_t take_ticket() { return next_ticket_++; }

  bool may_pass(std::uint64_t ticket) const { return ticket == now_; }
  /// Waits for the turn of `ticket`; does not suspend when it has come. Every earlier ticket is
  /// left in bounded time, for handlers have deadlines.
  rt::Task<void> enter(std::uint64_t ticket) {
    while (!may_pass(ticket)) co_await left_.wait();
  }
  /// Must be called once per ticket, whether it entered or gave up. Waiters run only after the
  /// caller suspends, so what the caller does right after is still before them.
  void leave(std::uint64_t ticket) {
    early_.insert(ticket);
    while (!early_.empty() && *early_.begin() == now_) {
      early_.erase(early_.begin());
      ++now_;
    }
    left_.notify_all();
  }

 private:
  std::uint64_t next_ticket_ = 0;
  std::uint64_t now_ = 0;
  /// Tickets that left before their turn.
  std::set<std::uint64_t> early_;
  rt::Event left_;
};

}  // namespace weir::broker
