#include "engine/membership.h"

#include <algorithm>

#include "state/commands/deregister_broker.h"
#include "state/commands/expire_broker.h"
#include "state/commands/register_broker.h"
#include "state/commands/vouch.h"

namespace weir::engine {

namespace {
/// How often the others are looked at; bounds how long after a kill a name stays in Metadata
/// answers.
constexpr Duration kTick = 250ms;
constexpr Duration kProposeWait = 10s;
/// What a broker whose address refuses has to show that it lives, also by a new connection.
constexpr Duration kRefusedSilence = 3s;
/// So much sooner a broker vouches whose connections may end before it does.
constexpr Duration kHastyVouch = 1s;
}  // namespace

Membership::Membership(Parts parts, const Options& options)
    : parts_(parts), options_(options), wake_(parts.loop) {}

Proposal Membership::registration() const {
  state::command::RegisterBroker command;
  std::optional<Position> at = parts_.follower.state().position();
  command.folded_position = at ? static_cast<std::int64_t>(at->value) : -1;
  command.requested_node_id = options_.node_id ? options_.node_id->value : -1;
  command.former_node_id = node_id_ ? node_id_->value : -1;
  command.zone = options_.zone;
  command.shared_identity = options_.shared_identity;
  command.software_version = options_.software_version;
  command.feature_level_min = 1;
  command.feature_level_max = kCommandVersion;
  command.session_timeout_ms = static_cast<std::int32_t>(options_.session_timeout / 1ms);
  for (const state::BrokerEndpoint& e : options_.endpoints) {
    auto& out = command.endpoints.emplace_back();
    out.listener = e.listener;
    out.protocol = e.protocol;
    out.host = e.host;
    out.port = e.port;
  }
  return make_proposal(command);
}

rt::Task<Result<NodeId>> Membership::register_self(MonoTime deadline) {
  while (!stopping_) {
    Incarnation self = parts_.random.id128<Incarnation>();
    if (parts_.witness) WEIR_CO_TRY(co_await parts_.witness->announce(self));
    struct Wait final : ProposalSink {
      explicit Wait(rt::Loop& loop) : done(loop) {}
      void on_outcome(const state::EntryView&, const state::CommandOutcome& o) override {
        outcome = o;
        done.notify_all();
      }
      rt::Event done;
      std::optional<state::CommandOutcome> outcome;
    };
    auto wait = std::make_shared<Wait>(parts_.loop);
    parts_.proposer.restart_as(self, registration(), wait);
    while (!wait->outcome)
      if (!co_await wait->done.wait_until(deadline) && !wait->outcome)
        co_return fail(ErrorCode::timed_out,
                       "the commit log did not take this broker's registration in time");
    if (wait->outcome->status == state::CommandStatus::repeat) continue;  // Lost by a reload.
    if (wait->outcome->refusal == Refusal::none && !wait->outcome->items.empty()) {
      node_id_ = NodeId(static_cast<std::int32_t>(wait->outcome->items.front().value));
      registered_ = true;
      last_vouch_ = parts_.loop.now();
      parts_.decisions.record(
          last_vouch_, DecisionKind::registration,
          {node_id_->value, static_cast<std::int64_t>(parts_.follower.next().value)});
      parts_.logger.info("registered", {{"node_id", node_id_->value}, {"incarnation", self.hex()}});
      co_return *node_id_;
    }
    if (wait->outcome->refusal != Refusal::stale_registration)
      co_return fail(ErrorCode::configuration, "the cluster refused this broker's registration: " +
                                                   std::string(to_string(wait->outcome->refusal)));
    // Somebody was forgotten between our last fold and this command; what we have folded by now is
    // new enough.
  }
  co_return fail(ErrorCode::cancelled, "the broker is stopping");
}

void Membership::on_folded(const state::EntryView& entry, const state::Folded&) {
  auto seen = seen_.find(entry.header.writer);
  if (seen != seen_.end()) seen->second.wrote = parts_.loop.now();
  reloaded();
}

void Membership::reloaded() {
  const state::State& state = parts_.follower.state();
  if (registered_ && !leaving_ && !state.is_registered(parts_.proposer.incarnation())) {
    registered_ = false;
    if (superseded())
      parts_.follower.halt(
          "another broker registered with this broker's node id or advertised address; this one "
          "stops serving. Give each broker its own --node-id and --advertise");
    wake_.notify_all();
  }
}

/// Why this broker's registration is gone.
std::string Membership::lost_to() const {
  for (const state::BrokerInfo& other : parts_.follower.state().brokers())
    if (node_id_ && other.node_id == *node_id_)
      return "another broker (incarnation " + other.incarnation.hex() + ") holds its node id " +
             std::to_string(node_id_->value) + " now";
  return "the others expired it: they heard nothing of it for longer than its session time-out, or "
         "for some seconds in which its advertised address refused them";
}

bool Membership::superseded() const {
  for (const state::BrokerInfo& other : parts_.follower.state().brokers()) {
    if (options_.node_id && other.node_id == *options_.node_id) return true;
    for (const state::BrokerEndpoint& theirs : other.endpoints)
      for (const state::BrokerEndpoint& ours : options_.endpoints)
        if (theirs.host == ours.host && theirs.port == ours.port && !options_.shared_identity)
          return true;
  }
  return false;
}

rt::Task<void> Membership::run() {
  while (!stopping_) {
    co_await wake_.wait_until(parts_.loop.now() + kTick);
    if (stopping_ || leaving_ || !parts_.follower.halted().empty()) continue;
    co_await tick();
  }
}

Duration Membership::vouch_interval() const {
  Duration usual = options_.session_timeout / 3;
  return hastens_ && parts_.peers ? std::min(usual, kHastyVouch) : usual;
}

rt::Task<void> Membership::tick() {
  if (!registered_) {
    co_await register_again();
    co_return;
  }
  MonoTime now = parts_.loop.now();
  if (parts_.peers)
    parts_.peers->watch(parts_.follower.state().brokers(), parts_.proposer.incarnation());
  if (alone()) {
    seen_.clear();
    co_return;
  }
  if (now - last_vouch_ >= vouch_interval()) {
    last_vouch_ = now;
    parts_.proposer.submit(make_proposal(state::command::Vouch{}), nullptr);
  }
  co_await expire_lost(now);
}

rt::Task<void> Membership::register_again() {
  parts_.logger.warn("registering_again",
                     {{"incarnation", parts_.proposer.incarnation().hex()}, {"why", lost_to()}});
  auto registered = co_await register_self(parts_.loop.now() + kProposeWait);
  if (!registered)
    parts_.logger.warn("registration_failed", {{"error", describe(registered.error())}});
}

const char* Membership::lost_by(const state::BrokerInfo& broker, MonoTime now) const {
  auto seen = seen_.find(broker.incarnation);
  if (seen == seen_.end() || seen->second.sign != broker.last_sign) return nullptr;
  if (parts_.peers) {
    std::optional<MonoTime> since = parts_.peers->refuses_since(broker.incarnation);
    if (since && now - std::max(*since, seen->second.wrote) >= kRefusedSilence)
      return "its address refuses and it writes nothing";
  }
  if (now - seen->second.at >= std::chrono::milliseconds(broker.session_timeout_ms))
    return "session time-out";
  return nullptr;
}

rt::Task<void> Membership::expire_lost(MonoTime now) {
  std::vector<std::pair<Incarnation, Position>> suspects;
  for (const state::BrokerInfo& broker : parts_.follower.state().brokers()) {
    if (broker.incarnation == parts_.proposer.incarnation()) continue;
    auto [it, fresh] = seen_.try_emplace(broker.incarnation, Seen{broker.last_sign, now, now});
    if (it->second.sign != broker.last_sign) it->second = Seen{broker.last_sign, now, now};
    if (parts_.witness || lost_by(broker, now))
      suspects.emplace_back(broker.incarnation, broker.last_sign);
  }
  std::erase_if(
      seen_, [&](const auto& item) { return !parts_.follower.state().is_registered(item.first); });
  for (auto [incarnation, sign] : suspects) {
    bool dead = parts_.witness && co_await parts_.witness->is_dead(incarnation);
    auto it = seen_.find(incarnation);
    if (it == seen_.end() || it->second.sign != sign || it->second.proposed) continue;
    const state::BrokerState* broker = parts_.follower.state().broker(incarnation);
    if (!broker) continue;
    const char* why = dead ? "its lock is free" : lost_by(broker->info, now);
    if (!why) continue;
    // Without the proof of being at the tail, silence may be our own: a store outage hides every
    // voucher.
    if (!co_await parts_.follower.barrier(parts_.loop.now() + kProposeWait)) continue;
    broker = parts_.follower.state().broker(incarnation);
    it = seen_.find(incarnation);
    if (!broker || it == seen_.end() || broker->info.last_sign != sign) continue;
    // It may have written, or accepted a connection, meanwhile.
    if (!dead && !lost_by(broker->info, parts_.loop.now())) continue;
    it->second.proposed = true;
    parts_.decisions.record(parts_.loop.now(), DecisionKind::expiry,
                            {broker->info.node_id.value, static_cast<std::int64_t>(sign.value)});
    state::command::ExpireBroker command;
    command.incarnation = Uuid::from_bytes(incarnation.view());
    command.voucher_position = static_cast<std::int64_t>(sign.value);
    parts_.logger.info("expiring_broker", {{"node_id", broker->info.node_id.value}, {"why", why}});
    parts_.proposer.submit(make_proposal(command), nullptr);
  }
}

rt::Task<void> Membership::deregister(MonoTime deadline) {
  if (!registered_) co_return;
  leaving_ = true;
  const Incarnation self = parts_.proposer.incarnation();
  // By our command, or by a peer that took our silence for death: then the command has no outcome.
  auto here = [&] { return parts_.follower.state().is_registered(self); };
  bool going = parts_.proposer.submit(make_proposal(state::command::DeregisterBroker{}), nullptr);
  while (going && here() && parts_.follower.halted().empty())
    going = co_await parts_.follower.progress().wait_until(deadline);
  if (here())
    parts_.logger.warn("deregistration_failed",
                       {{"advice", "the log took no entry in time; the others will expire it"}});
  registered_ = false;
}

void Membership::stop() {
  stopping_ = true;
  wake_.notify_all();
}

}  // namespace weir::engine
