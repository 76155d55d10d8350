// GroupApi: groups of the classic protocol, and the offsets of groups of every kind, as `broker`
// sees them. docs/design.md, 9.
//
// Any broker serves any group. Changes are commands, and what is refused was refused by the fold or
// after a barrier. `join` and `sync` park until the fold has their answer. Kafka's types and codes
// do not appear here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/ids.h"
#include "base/result.h"
#include "base/time.h"
#include "rt/task.h"
#include "state/catalog.h"
#include "state/groups/group.h"
#include "state/refusal.h"

namespace weir::engine {

/// Exactly one of three, as `Outcome` (api.h): done, refused, failed on the way.
struct GroupOutcome {
  state::Refusal refusal = state::Refusal::none;
  std::optional<Error> failure;

  bool ok() const { return refusal == state::Refusal::none && !failure; }
};

struct JoinRequest {
  std::string group;
  /// Empty for a new member.
  std::string member;
  /// Used if the fold makes a new member.
  std::string new_member;
  std::optional<std::string> instance;
  bool require_known_member = false;
  std::string client_id;
  std::string client_host;
  std::int32_t session_timeout_ms = 0;
  std::int32_t rebalance_timeout_ms = 0;
  std::string protocol_type;
  std::vector<state::OfferedProtocol> protocols;
  std::int32_t group_size_max = 0;
  std::int32_t initial_delay_ms = 0;
};

struct JoinedMember {
  std::string id;
  std::optional<std::string> instance;
  SharedBytes metadata;
};

struct JoinAnswer : GroupOutcome {
  /// Also where it must come again with this id.
  std::string member;
  bool member_id_required = false;
  std::int32_t generation = -1;
  std::string protocol_type;
  std::string protocol_name;
  std::string leader;
  /// The leader of a group that goes on as it was: it need not assign anew.
  bool skip_assignment = false;
  /// For the leader.
  std::vector<JoinedMember> members;
};

/// Who speaks. A negative generation: nobody in particular.
struct MemberId {
  std::string group;
  std::string member;
  std::optional<std::string> instance;
  std::int32_t generation = -1;
};

struct SyncRequest {
  MemberId from;
  std::optional<std::string> protocol_type;
  std::optional<std::string> protocol_name;
  std::vector<std::pair<std::string, SharedBytes>> assignments;
};

struct SyncAnswer : GroupOutcome {
  std::string protocol_type;
  std::string protocol_name;
  SharedBytes assignment;
};

struct LeavingId {
  std::string member;
  std::optional<std::string> instance;
};

struct OffsetToCommit {
  state::PartitionRef at;
  std::int64_t offset = 0;
  std::int32_t leader_epoch = -1;
  std::string metadata;
};

struct CommittedOffset {
  state::PartitionRef at;
  /// -1: none.
  std::int64_t offset = -1;
  std::int32_t leader_epoch = -1;
  std::string metadata;
  /// A transaction that has not ended holds a newer one.
  bool unstable = false;
};

struct FetchedOffsets : GroupOutcome {
  std::vector<CommittedOffset> offsets;
};

struct OffsetsQuery {
  std::string group;
  /// From version 9 of OffsetFetch: checked in consumer groups.
  std::optional<std::string> member;
  std::int32_t member_epoch = -1;
  /// Null: all that the group has.
  std::optional<std::vector<state::PartitionRef>> partitions;
};

struct GroupListing {
  std::string group;
  state::GroupKind kind = state::GroupKind::classic;
  std::string protocol_type;
  /// Kafka's name of the state: Empty, PreparingRebalance, CompletingRebalance, Stable; of a
  /// consumer group Assigning, Reconciling.
  std::string state;
};

struct DescribedMember {
  std::string id;
  std::optional<std::string> instance;
  std::string client_id;
  std::string client_host;
  SharedBytes metadata;
  SharedBytes assignment;
};

struct DescribedGroup : GroupOutcome {
  GroupListing listing;
  std::string protocol_name;
  std::vector<DescribedMember> members;
};

class GroupApi {
 public:
  virtual ~GroupApi() = default;

  /// `cancelled` as in Engine::fetch, here and in `sync`.
  virtual rt::Task<JoinAnswer> join(JoinRequest request, MonoTime deadline,
                                    const bool* cancelled) = 0;
  virtual rt::Task<SyncAnswer> sync(SyncRequest request, MonoTime deadline,
                                    const bool* cancelled) = 0;
  /// Costs no request to the store unless it has to refuse.
  virtual rt::Task<GroupOutcome> heartbeat(MemberId from, MonoTime deadline) = 0;
  /// One outcome per member.
  virtual rt::Task<std::vector<GroupOutcome>> leave(std::string group,
                                                    std::vector<LeavingId> members,
                                                    MonoTime deadline) = 0;

  /// One command. One outcome per offset; they differ only where a partition is unknown.
  virtual rt::Task<std::vector<GroupOutcome>> commit_offsets(MemberId from,
                                                             std::vector<OffsetToCommit> offsets,
                                                             MonoTime deadline) = 0;
  /// From the state as it is folded: the caller has run a barrier, for an older offset than what
  /// was committed elsewhere would be read twice.
  virtual FetchedOffsets read_offsets(const OffsetsQuery& query) const = 0;
  /// About what `read_offsets` and an answer of it take in memory, found without building them.
  virtual std::size_t offsets_bytes(const OffsetsQuery& query) const = 0;
  virtual rt::Task<std::vector<GroupOutcome>> delete_offsets(
      std::string group, std::vector<state::PartitionRef> partitions, MonoTime deadline) = 0;

  virtual rt::Task<std::vector<GroupOutcome>> delete_groups(std::vector<std::string> groups,
                                                            MonoTime deadline) = 0;
  /// Classic groups; a consumer group is `group_not_found`, as an unknown one.
  virtual rt::Task<std::vector<DescribedGroup>> describe_groups(std::vector<std::string> groups,
                                                                MonoTime deadline) = 0;
  virtual rt::Task<Result<std::vector<GroupListing>>> list_groups(MonoTime deadline) = 0;
};

}  // namespace weir::engine
