// ConsumerGroup: a group of the consumer protocol (KIP-848) as the fold keeps it.
//
// The group epoch counts what calls for a new assignment: members, subscriptions, topics. The
// target epoch is the group epoch that the newest target was computed for; a proposer computes it
// and the fold takes it only while the group epoch is still the same. Members move towards their
// target one by one (reconcile.h).
//
// Invariants: no partition is held by two members; an instance id names one member; the target
// epoch never passes the group epoch. The hash follows every change at once, so that an edit costs
// the changed member alone. A value; the group table owns it and changes it within an edit.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "state/consumer_groups/member.h"

namespace weir::state {

/// As ListGroups and ConsumerGroupDescribe name them.
enum class ConsumerGroupState : std::uint8_t { empty, assigning, reconciling, stable };

class ConsumerGroup {
 public:
  using Members = std::map<std::string, ConsumerMember, std::less<>>;
  /// Topics that each regular expression of a member matched, sorted.
  using Regexes = std::map<std::string, std::vector<std::string>, std::less<>>;

  const Members& members() const { return members_; }
  const ConsumerMember* find(std::string_view id) const;
  const ConsumerMember* find_static(std::string_view instance) const;
  std::int32_t epoch() const { return epoch_; }
  std::int32_t target_epoch() const { return target_epoch_; }
  /// Of the topics that the newest assignment was computed from.
  std::uint64_t metadata_hash() const { return metadata_hash_; }
  const Regexes& regexes() const { return regexes_; }
  bool held(const PartitionRef& at) const { return held_.contains(at); }
  ConsumerGroupState state() const;
  /// Whether this member reads the topic, by name or by its expression.
  bool subscribes(const ConsumerMember& member, std::string_view topic) const;
  bool subscribes(std::string_view topic) const;
  /// Members of the classic protocol, and whether nobody else is left.
  bool all_classic() const;

  Hash128 hash() const;
  /// Memory that members and expressions take, about.
  std::size_t bytes() const { return members_bytes_ + regexes_bytes_; }

  /// Adds or replaces by id. False, and nothing changed, if it holds what another member holds or
  /// has another member's instance id.
  bool put(ConsumerMember member);
  void remove(std::string_view id);
  /// False if the epoch cannot rise any more.
  bool bump_epoch();
  void set_epoch(std::int32_t epoch) { epoch_ = epoch; }
  void set_target_epoch(std::int32_t epoch) { target_epoch_ = epoch; }
  void set_metadata_hash(std::uint64_t hash) { metadata_hash_ = hash; }
  void set_regexes(Regexes regexes);
  void set_target(std::string_view id, PartitionList target);
  void vouch(std::string_view id, Position at);

 private:
  struct RefHash {
    std::size_t operator()(const PartitionRef& at) const;
  };
  void forget(const ConsumerMember& member);

  std::int32_t epoch_ = 0;
  std::int32_t target_epoch_ = 0;
  std::uint64_t metadata_hash_ = 0;
  Members members_;
  std::map<std::string, std::string, std::less<>> statics_;
  Regexes regexes_;
  /// Looked up only, never walked: its order is not the same everywhere.
  std::unordered_set<PartitionRef, RefHash> held_;
  /// Sums over members and expressions.
  Hash128 members_hash_;
  std::size_t members_bytes_ = 0;
  std::size_t regexes_bytes_ = 0;
  Hash128 regexes_hash_;
};

}  // namespace weir::state
