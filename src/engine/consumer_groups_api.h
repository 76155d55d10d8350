// ConsumerGroupApi: groups of the consumer protocol (KIP-848), as `broker` sees them.
//
// Any broker serves any member. A heartbeat that changes nothing costs no request to the store;
// what is refused was refused by the fold or after a barrier. Kafka's types and codes do not appear
// here. docs/design.md, 9.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "engine/groups_api.h"
#include "rt/task.h"
#include "state/consumer_groups/assignment.h"
#include "state/refusal.h"

namespace weir::engine {

/// The settings of a group that a request is served by; the broker reads them from its
/// configuration and the group's own.
struct ConsumerGroupSettings {
  std::int32_t session_timeout_ms = 45'000;
  /// Least time between two assignments.
  std::int32_t assignment_interval_ms = 1'000;
  std::int32_t members_max = 0x7fffffff;
  /// For members that do not ask for one.
  std::string default_assignor = "uniform";
  bool may_upgrade = true;
  bool may_downgrade = true;
};

struct ConsumerHeartbeat {
  std::string group;
  std::string member;
  /// 0 joins.
  std::int32_t epoch = 0;
  std::optional<std::string> instance;
  std::optional<std::string> rack;
  std::string client_id;
  std::string client_host;
  /// -1: as before.
  std::int32_t rebalance_timeout_ms = -1;
  std::optional<std::vector<std::string>> topics;
  std::optional<std::string> regex;
  std::optional<std::string> assignor;
  /// What the member holds, if it says so.
  std::optional<std::vector<state::PartitionRef>> owned;
  ConsumerGroupSettings settings;

  /// It says everything, so it wants to be told everything.
  bool full() const {
    return epoch == 0 || (rebalance_timeout_ms >= 0 && owned && (topics || regex));
  }
};

struct ConsumerHeartbeatAnswer : GroupOutcome {
  std::int32_t epoch = 0;
  /// Nothing: as the member knows it.
  std::optional<state::PartitionList> assignment;
};

struct ConsumerMemberDescription {
  std::string id;
  std::optional<std::string> instance;
  std::optional<std::string> rack;
  std::int32_t epoch = 0;
  std::string client_id;
  std::string client_host;
  std::vector<std::string> topics;
  std::optional<std::string> regex;
  state::PartitionList assigned;
  state::PartitionList target;
  bool classic = false;
};

struct ConsumerGroupDescription : GroupOutcome {
  std::string group;
  /// Kafka's name of the state: Empty, Assigning, Reconciling, Stable.
  std::string state;
  std::int32_t epoch = 0;
  std::int32_t target_epoch = 0;
  std::string assignor;
  std::vector<ConsumerMemberDescription> members;
};

class ConsumerGroupApi {
 public:
  virtual ~ConsumerGroupApi() = default;

  /// Waits, a short time, for the assignment that the heartbeat calls for.
  virtual rt::Task<ConsumerHeartbeatAnswer> heartbeat(ConsumerHeartbeat request,
                                                      MonoTime deadline) = 0;
  /// `temporary`: a static member that comes back and keeps its partitions.
  virtual rt::Task<GroupOutcome> leave(MemberId member, bool temporary,
                                       ConsumerGroupSettings settings, MonoTime deadline) = 0;
  /// After a barrier. A group of another kind is `group_not_found`.
  virtual rt::Task<std::vector<ConsumerGroupDescription>> describe(std::vector<std::string> groups,
                                                                   std::string default_assignor,
                                                                   MonoTime deadline) = 0;
};

/// Why an expression cannot be subscribed to, as a sentence; empty if it can.
std::string regex_problem(const std::string& regex);

}  // namespace weir::engine
