// PeerLog: log lines that a misbehaving peer causes, at a bounded rate.
//
// A token bucket per lane; what it swallows is counted and told with the next line that passes.
#pragma once

#include <string_view>

#include "base/log.h"
#include "base/time.h"
#include "broker/limits.h"
#include "rt/stream.h"

namespace weir::broker {

class PeerLog {
 public:
  explicit PeerLog(Logger& log) : log_(log) {}

  /// One line about a connection that is closed for cause.
  void closed(MonoTime now, const rt::Endpoint& peer, std::string_view listener,
              std::string_view why) {
    if (!allow(now)) {
      ++swallowed_;
      return;
    }
    log_.info("connection_closed", {{"peer", peer.text()},
                                    {"listener", listener},
                                    {"reason", why},
                                    {"more_not_logged", swallowed_}});
    swallowed_ = 0;
  }

 private:
  bool allow(MonoTime now) {
    while (tokens_ < kPeerLogBurst && now - refilled_ >= kPeerLogRefill) {
      ++tokens_;
      refilled_ = tokens_ == kPeerLogBurst ? now : refilled_ + kPeerLogRefill;
    }
    if (tokens_ == 0) return false;
    --tokens_;
    return true;
  }

  Logger& log_;
  int tokens_ = kPeerLogBurst;
  MonoTime refilled_{};
  std::uint64_t swallowed_ = 0;
};

}  // namespace weir::broker
