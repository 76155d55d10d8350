#include <algorithm>
#include <limits>

#include "base/narrow.h"
#include "state/commands/deregister_broker.h"
#include "state/commands/expire_broker.h"
#include "state/commands/register_broker.h"
#include "state/commands/vouch.h"
#include "state/fold.h"
#include "state/limits.h"

namespace weir::state {
namespace {

bool is_text(const std::string& text) {
  return !text.empty() && text.size() <= kBrokerTextBytesMax;
}

bool well_formed(const command::RegisterBroker& command, const FoldContext& context) {
  if (context.incarnation.is_nil()) return false;
  if (command.folded_position < 0) return false;
  if (static_cast<std::uint64_t>(command.folded_position) >= context.position().value) return false;
  if (command.requested_node_id < -1 || command.session_timeout_ms <= 0) return false;
  if (command.former_node_id < -1) return false;
  if (command.feature_level_min < 0 || command.feature_level_max < command.feature_level_min)
    return false;
  if (command.zone && command.zone->size() > kBrokerTextBytesMax) return false;
  if (command.software_version.size() > kBrokerTextBytesMax) return false;
  if (command.endpoints.size() > kEndpointsPerBrokerMax) return false;
  return std::all_of(command.endpoints.begin(), command.endpoints.end(), [](const auto& endpoint) {
    return is_text(endpoint.listener) && is_text(endpoint.protocol) && is_text(endpoint.host) &&
           endpoint.port > 0 && endpoint.port <= std::numeric_limits<std::uint16_t>::max();
  });
}

BrokerState broker_of(const command::RegisterBroker& command, const FoldContext& context) {
  BrokerState broker;
  broker.info.incarnation = context.incarnation;
  broker.info.zone = command.zone;
  broker.info.shared_identity = command.shared_identity;
  for (const auto& endpoint : command.endpoints) {
    broker.info.endpoints.push_back({endpoint.listener, endpoint.protocol, endpoint.host,
                                     narrow<std::uint16_t>(endpoint.port)});
  }
  broker.info.software_version = command.software_version;
  broker.info.last_sign = context.position();
  broker.info.session_timeout_ms = command.session_timeout_ms;
  broker.last = CommandCounter(1);
  broker.registered = context.position();
  broker.level_min = FeatureLevel(narrow<std::uint16_t>(command.feature_level_min));
  broker.level_max = FeatureLevel(narrow<std::uint16_t>(command.feature_level_max));
  return broker;
}

bool share_address(const BrokerInfo& a, const BrokerInfo& b) {
  for (const BrokerEndpoint& x : a.endpoints) {
    for (const BrokerEndpoint& y : b.endpoints) {
      if (x.host == y.host && x.port == y.port) return true;
    }
  }
  return false;
}

/// The same process started again, as far as anybody can see: same node id or advertised address.
/// Brokers behind one shared identity have both in common and are still several.
bool supersedes(const BrokerInfo& fresh, std::int32_t requested_node_id, const BrokerInfo& old) {
  if (fresh.shared_identity && old.shared_identity) return false;
  return old.node_id.value == requested_node_id || share_address(fresh, old);
}

/// The lowest id from 1 that no live broker holds; brokers with a shared identity share theirs. A
/// process that was expired keeps its former one where it can: to clients, an id that moves to
/// another live process is a broker that changed its address.
NodeId free_node_id(const std::vector<BrokerInfo>& brokers,
                    const command::RegisterBroker& command) {
  std::int32_t id = 1;
  for (const BrokerInfo& broker : brokers) {
    if (command.shared_identity && broker.shared_identity) return broker.node_id;
  }
  const auto held = [&](const BrokerInfo& b) { return b.node_id.value == command.former_node_id; };
  if (command.former_node_id >= 0 && std::ranges::none_of(brokers, held))
    return NodeId(command.former_node_id);
  for (const BrokerInfo& broker : brokers) {
    if (broker.node_id.value == id) ++id;
  }
  return NodeId(id);
}

void count_placement(FoldContext& context) {
  context.tables.edit_meta(
      [](MetaValues& meta) { meta.placement_epoch = meta.placement_epoch.next(); });
}

/// Forgets an incarnation: registrations made before now are refused from now on.
void forget(FoldContext& context, Incarnation incarnation) {
  context.tables.brokers.remove(context.ledger(), incarnation);
  context.tables.edit_meta([&](MetaValues& meta) { meta.last_forget = context.position(); });
}

bool placement_exhausted(const FoldContext& context) {
  return context.tables.meta->placement_epoch.value == std::numeric_limits<std::int32_t>::max();
}

}  // namespace

void fold(FoldContext& context, const command::RegisterBroker& command, Verdict& verdict) {
  const Meta& meta = context.tables.meta;
  BrokerTable& brokers = context.tables.brokers;
  if (brokers.find(context.incarnation) != nullptr || !well_formed(command, context))
    return verdict.refuse(Refusal::malformed);
  if (static_cast<std::uint64_t>(command.folded_position) < meta->last_forget.value)
    return verdict.refuse(Refusal::stale_registration);
  if (command.feature_level_min > meta->level.value ||
      command.feature_level_max < meta->level.value)
    return verdict.refuse(Refusal::unsupported_level);

  BrokerState fresh = broker_of(command, context);
  std::vector<Incarnation> superseded;
  for (const BrokerInfo& old : brokers.list()) {
    if (supersedes(fresh.info, command.requested_node_id, old))
      superseded.push_back(old.incarnation);
  }
  if (brokers.list().size() - superseded.size() >= kBrokersMax || placement_exhausted(context))
    return verdict.refuse(Refusal::limit_reached);
  for (const Incarnation& old : superseded) forget(context, old);

  fresh.info.node_id = command.requested_node_id >= 0 ? NodeId(command.requested_node_id)
                                                      : free_node_id(brokers.list(), command);
  verdict.item(Refusal::none, fresh.info.node_id.value);
  brokers.add(context.ledger(), std::move(fresh));
  count_placement(context);
}

void fold(FoldContext& context, const command::DeregisterBroker&, Verdict& verdict) {
  if (placement_exhausted(context)) return verdict.refuse(Refusal::limit_reached);
  forget(context, context.incarnation);
  count_placement(context);
}

void fold(FoldContext& context, const command::ExpireBroker& command, Verdict& verdict) {
  auto incarnation = Incarnation::from_bytes(command.incarnation.view());
  const BrokerState* broker = context.tables.brokers.find(incarnation);
  if (broker == nullptr) return verdict.refuse(Refusal::not_found);
  if (broker->info.last_sign.value != static_cast<std::uint64_t>(command.voucher_position))
    return verdict.refuse(Refusal::guard_mismatch);
  if (placement_exhausted(context)) return verdict.refuse(Refusal::limit_reached);
  forget(context, incarnation);
  count_placement(context);
}

void fold(FoldContext& context, const command::Vouch&, Verdict&) {
  context.tables.brokers.vouch(context.ledger(), context.incarnation, context.position());
}

}  // namespace weir::state
