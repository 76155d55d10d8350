#include "engine/peer_watch.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "engine/limits.h"

namespace weir::engine {

namespace {

constexpr Duration kConnectMax = 1s;
/// After a connection broke, and between attempts that are refused.
constexpr Duration kFirstPause = 100ms;
constexpr Duration kRefusedPause = 250ms;
/// Between the first two refusals, and between any later two: a watcher that was paused saw nothing
/// of what was between.
constexpr Duration kFirstRefusalsApartMax = 500ms;
constexpr Duration kRefusalsApartMax = 2s;
/// Where nobody was ever reached, nobody answers, connections are closed as soon as they are open,
/// or refusals do not end.
constexpr Duration kRarePause = 5s;
constexpr Duration kRefusedOftenMax = 1min;
/// Who accepts for somebody that it does not reach closes sooner.
constexpr Duration kHeldMin = 500ms;
constexpr int kRefusalsMin = 2;

bool means_own_machine(std::string_view host) {
  return host.empty() || host == "*" || host == "0.0.0.0" || host == "::";
}

bool is_loopback(std::string_view host) {
  return host == "localhost" || host == "::1" || host.starts_with("127.");
}

/// Whether what answers at `at`, seen from the broker `self`, can only be the broker that names it.
bool is_its_own(const state::BrokerEndpoint& at, const state::BrokerInfo& self) {
  if (at.protocol != "plaintext" || means_own_machine(at.host)) return false;
  const auto& ours = self.endpoints;
  if (std::ranges::any_of(
          ours, [&](const auto& own) { return own.host == at.host && own.port == at.port; }))
    return false;
  // Brokers that all say so are on one machine.
  return !is_loopback(at.host) ||
         std::ranges::all_of(ours, [](const auto& own) { return is_loopback(own.host); });
}

}  // namespace

void PeerWatch::drop(Peer& peer) {
  peer.dropped = true;
  if (peer.stream) peer.stream->close();
  peer.wake.notify_all();
}

void PeerWatch::watch(const std::vector<state::BrokerInfo>& brokers, Incarnation self) {
  if (stopping_) return;
  std::erase_if(peers_, [&](const auto& item) {
    bool gone =
        std::ranges::find(brokers, item.first, &state::BrokerInfo::incarnation) == brokers.end();
    if (gone) drop(*item.second);
    return gone;
  });
  auto own = std::ranges::find(brokers, self, &state::BrokerInfo::incarnation);
  if (own == brokers.end()) return;
  for (const state::BrokerInfo& broker : brokers) {
    if (broker.incarnation == self || broker.shared_identity) continue;
    if (peers_.contains(broker.incarnation) || peers_.size() >= kWatchedPeersMax) continue;
    auto at = std::ranges::find_if(
        broker.endpoints, [&](const auto& endpoint) { return is_its_own(endpoint, *own); });
    if (at == broker.endpoints.end()) continue;
    auto peer = std::make_shared<Peer>(loop_, rt::Endpoint{at->host, at->port});
    peers_.emplace(broker.incarnation, peer);
    scope_.spawn(follow(std::move(peer)));
  }
}

std::optional<MonoTime> PeerWatch::refuses_since(Incarnation broker) const {
  auto found = peers_.find(broker);
  if (found == peers_.end()) return std::nullopt;
  const Peer& peer = *found->second;
  if (peer.refusals < kRefusalsMin || loop_.now() - peer.last_refusal > kRefusalsApartMax)
    return std::nullopt;
  return peer.first_refusal;
}

rt::Task<void> PeerWatch::follow(std::shared_ptr<Peer> peer) {
  while (!peer->dropped) {
    Duration pause = co_await visit(*peer);
    if (!peer->dropped) co_await peer->wake.wait_until(loop_.now() + pause);
  }
}

Duration PeerWatch::refused(Peer& peer) const {
  const MonoTime now = loop_.now();
  const Duration apart_max =
      peer.refusals < kRefusalsMin ? kFirstRefusalsApartMax : kRefusalsApartMax;
  if (peer.refusals == 0 || now - peer.last_refusal > apart_max) {
    peer.refusals = 0;
    peer.first_refusal = now;
  }
  peer.refusals = std::min(peer.refusals + 1, kRefusalsMin);
  peer.last_refusal = now;
  return now - peer.first_refusal < kRefusedOftenMax ? kRefusedPause : kRarePause;
}

rt::Task<Duration> PeerWatch::visit(Peer& peer) {
  auto stream = co_await network_.connect(loop_, peer.at, loop_.now() + kConnectMax);
  if (!stream && peer.reached && stream.error().is(ErrorCode::closed)) co_return refused(peer);
  peer.refusals = 0;
  if (!stream) co_return kRarePause;
  if (peer.dropped) co_return Duration(0);
  peer.stream = std::move(*stream);
  const MonoTime opened = loop_.now();
  // A listener that speaks first means nothing by it to us.
  std::array<std::byte, 256> ignored{};
  auto got = co_await peer.stream->read_some(ignored);
  while (got && *got > 0 && !peer.dropped) got = co_await peer.stream->read_some(ignored);
  peer.stream.reset();
  if (loop_.now() - opened < kHeldMin) co_return kRarePause;
  peer.reached = true;
  co_return kFirstPause;
}

void PeerWatch::stop() {
  stopping_ = true;
  for (auto& [incarnation, peer] : peers_) drop(*peer);
  peers_.clear();
}

}  // namespace weir::engine
