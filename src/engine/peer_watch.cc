#include "engine/peer_watch.h"

#include <algorithm>
#include <array>
#include <utility>

#include "engine/limits.h"

namespace weir::engine {

namespace {

constexpr Duration kConnectMax = 1s;
/// After a connection broke, and between two attempts that are refused: a second process on the
/// same address has half a second to begin.
constexpr Duration kFirstPause = 100ms;
constexpr Duration kRefusedPause = 350ms;
/// Where nobody was ever reached, nobody answers, or connections are closed as soon as they are
/// open.
constexpr Duration kRarePause = 5s;
constexpr Duration kHeldMin = 1s;
constexpr int kRefusalsOfTheGone = 2;

}  // namespace

void PeerWatch::drop(Peer& peer) {
  peer.dropped = true;
  if (peer.stream) peer.stream->close();
  peer.wake.notify_all();
}

void PeerWatch::watch(const std::vector<state::BrokerInfo>& brokers, Incarnation self) {
  if (stopping_) return;
  std::erase_if(peers_, [&](const auto& item) {
    bool listed = std::ranges::any_of(
        brokers, [&](const state::BrokerInfo& b) { return b.incarnation == item.first; });
    if (!listed) drop(*item.second);
    return !listed;
  });
  for (const state::BrokerInfo& broker : brokers) {
    if (broker.incarnation == self || broker.shared_identity || broker.endpoints.empty()) continue;
    if (peers_.contains(broker.incarnation) || peers_.size() >= kWatchedPeersMax) continue;
    const state::BrokerEndpoint& at = broker.endpoints.front();
    auto peer = std::make_shared<Peer>(loop_, rt::Endpoint{at.host, at.port});
    peers_.emplace(broker.incarnation, peer);
    scope_.spawn(follow(std::move(peer)));
  }
}

bool PeerWatch::is_gone(Incarnation broker) const {
  auto found = peers_.find(broker);
  return found != peers_.end() && found->second->refusals >= kRefusalsOfTheGone;
}

rt::Task<void> PeerWatch::follow(std::shared_ptr<Peer> peer) {
  while (!peer->dropped) {
    Duration pause = co_await visit(*peer);
    if (!peer->dropped) co_await peer->wake.wait_until(loop_.now() + pause);
  }
}

rt::Task<Duration> PeerWatch::visit(Peer& peer) {
  auto stream = co_await network_.connect(loop_, peer.at, loop_.now() + kConnectMax);
  if (!stream) {
    const bool refused = peer.reached && stream.error().is(ErrorCode::closed);
    peer.refusals = refused ? std::min(peer.refusals + 1, kRefusalsOfTheGone) : 0;
    co_return refused&& peer.refusals < kRefusalsOfTheGone ? kRefusedPause : kRarePause;
  }
  peer.reached = true;
  peer.refusals = 0;
  if (peer.dropped) co_return Duration(0);
  peer.stream = std::move(*stream);
  const MonoTime opened = loop_.now();
  // A listener that speaks first means nothing by it to us.
  std::array<std::byte, 256> ignored{};
  auto got = co_await peer.stream->read_some(ignored);
  while (got && *got > 0 && !peer.dropped) got = co_await peer.stream->read_some(ignored);
  peer.stream.reset();
  co_return loop_.now() - opened < kHeldMin ? kRarePause : kFirstPause;
}

void PeerWatch::stop() {
  stopping_ = true;
  for (auto& [incarnation, peer] : peers_) drop(*peer);
  peers_.clear();
}

}  // namespace weir::engine
