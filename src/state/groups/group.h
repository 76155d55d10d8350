// Group and GroupMember: the units of a group in the state.
//
// A group is its head (`Group`: id, kind, epoch, phase) and, in the classic protocol, one unit per
// member, so that a sign of life or a join costs the same in a group of one and of ten thousand. A
// consumer group keeps its members inside (`consumer`). A group without members keeps its offsets
// and its kind until a member of another kind joins, it is deleted, or its offsets have expired.
//
// Invariants (kept by GroupTable): `members` lists the slots of the group's classic members, in no
// order that means anything; `counts` counts them; `consumer` exists exactly if `kind` is consumer.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/ids.h"
#include "state/slab.h"
#include "state/unit.h"

namespace weir::state {

class ConsumerGroup;

/// Contracts, never renumbered. Share and streams groups come later.
enum class GroupKind : std::uint8_t { classic = 1, consumer = 2 };

/// Of a classic group; contracts. Kafka's names: Empty, PreparingRebalance, CompletingRebalance,
/// Stable.
enum class GroupPhase : std::uint8_t { empty = 0, preparing = 1, completing = 2, stable = 3 };

/// What a classic member offers to speak: opaque to the state.
struct OfferedProtocol {
  std::string name;
  SharedBytes metadata;

  friend bool operator==(const OfferedProtocol&, const OfferedProtocol&) = default;
};

/// `pending`: was told its id and has to join with it (KIP-394); not yet a member.
enum class MemberStage : std::uint8_t { pending = 0, member = 1 };

struct GroupMemberValues {
  std::string id;
  /// KIP-345.
  std::optional<std::string> instance;
  std::string client_id;
  std::string client_host;
  std::int32_t session_timeout_ms = 0;
  std::int32_t rebalance_timeout_ms = 0;
  MemberStage stage = MemberStage::member;
  std::vector<OfferedProtocol> protocols;
  SharedBytes assignment;
};

/// A member of a classic group.
class GroupMember {
 public:
  const GroupMemberValues* operator->() const { return &values_; }
  const GroupMemberValues& values() const { return values_; }
  /// Position of its last sign of life: join, sync, commit or voucher. It names the silence that an
  /// expiry is about.
  Position last_sign() const { return last_sign_; }
  /// Has joined the rebalance that is being prepared.
  bool joined() const { return joined_; }
  /// Has asked for its assignment of the present generation.
  bool synced() const { return synced_; }
  bool pending() const { return values_.stage == MemberStage::pending; }

  bool live() const { return live_; }
  Hash128 hash() const;
  void create(EditKey, std::string_view group, GroupMemberValues values);
  template <class Change>
  void change(EditKey, Change&& change) {
    change(values_);
    rehash();
  }
  void sign(EditKey, Position at) { last_sign_ = at; }
  void set_progress(EditKey, bool joined, bool synced) {
    joined_ = joined;
    synced_ = synced;
  }
  void remove(EditKey) { live_ = false; }

  // Bookkeeping that is not part of the state.
  SnapshotMark mark;
  Slot group = kNoSlot;
  /// Its place in the group's list.
  std::uint32_t index = 0;
  std::uint32_t changed_round = 0;

 private:
  void rehash();

  bool live_ = false;
  bool joined_ = false;
  bool synced_ = false;
  Position last_sign_;
  std::uint64_t group_hash_ = 0;
  /// Of the values, so that a sign of life costs no more than itself.
  Hash128 content_;
  GroupMemberValues values_;
};

struct GroupValues {
  std::string id;
  GroupKind kind = GroupKind::classic;
  /// The generation of a classic group. A consumer group has its epochs in `consumer`.
  std::int32_t generation = 0;
  GroupPhase phase = GroupPhase::empty;
  /// Position at which the phase began.
  Position phase_since;
  /// While the first rebalance of an empty group waits for more members: how long; else 0.
  std::int32_t initial_delay_ms = 0;
  /// Empty for a group that only stores offsets.
  std::string protocol_type;
  /// Chosen for the present generation.
  std::string protocol_name;
  std::string leader;
  /// Wall time of the entry at which it became empty; for the retention of its offsets.
  std::int64_t empty_since_ms = 0;
};

/// Number of members by what they have done; derived, not hashed.
struct GroupCounts {
  std::uint32_t pending = 0;
  std::uint32_t members = 0;
  std::uint32_t joined = 0;
};

class Group {
 public:
  Group();
  ~Group();
  Group(Group&&) noexcept;
  Group& operator=(Group&&) noexcept;

  const GroupValues* operator->() const { return &values_; }
  const GroupValues& values() const { return values_; }
  GroupValues& change(EditKey) { return values_; }
  /// Null unless the kind is consumer.
  const ConsumerGroup* consumer() const { return consumer_.get(); }
  ConsumerGroup& change_consumer(EditKey) { return *consumer_; }
  /// Makes it a consumer group, or (null) a classic one.
  void set_consumer(EditKey, std::unique_ptr<ConsumerGroup> consumer);
  /// No members but pending ones, of whatever kind.
  bool empty() const;

  bool live() const { return live_; }
  Hash128 hash() const;
  void create(EditKey, GroupValues values) {
    live_ = true;
    values_ = std::move(values);
  }
  void remove(EditKey) { live_ = false; }

  // Bookkeeping that is not part of the state.
  SnapshotMark mark;
  std::uint32_t changed_round = 0;
  std::vector<Slot> members;
  GroupCounts counts;
  /// How many members offer each protocol.
  std::map<std::string, std::uint32_t, std::less<>> offers;
  Slot first_offset = kNoSlot;
  std::uint32_t offset_count = 0;

 private:
  bool live_ = false;
  GroupValues values_;
  std::unique_ptr<ConsumerGroup> consumer_;
};

/// What an expiry of offsets names: it changes when members come to a group without any.
std::uint64_t expiry_guard(const Group& group);

}  // namespace weir::state
