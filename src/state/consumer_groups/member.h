// ConsumerMember: one member of a group of the consumer protocol.
//
// Plain data; the group (consumer_group.h) keeps hash, owners and indexes in step with it. A member
// that still speaks the classic protocol (an online migration) is the same thing with
// `classic` set: its epoch is what it calls its generation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/ids.h"
#include "state/consumer_groups/assignment.h"

namespace weir::state {

/// Where a member stands on its way to its target. Numbers are contracts.
enum class MemberState : std::uint8_t {
  stable = 0,      // it has what the target of its epoch says
  unrevoked = 1,   // it holds partitions that it must give up before its epoch may rise
  unreleased = 2,  // it waits for partitions that others still hold
};

/// A protocol that a classic member offered: opaque to the state.
struct ClassicOffer {
  std::string name;
  SharedBytes metadata;
};

/// What only a member of the classic protocol has.
struct ClassicMemberPart {
  std::vector<ClassicOffer> offers;
};

struct ConsumerMember {
  std::string id;
  std::optional<std::string> instance;
  std::optional<std::string> rack;
  std::string client_id;
  std::string client_host;
  /// Silence after which it is expired; of the group's settings, or of a classic member its own.
  std::int32_t session_timeout_ms = 0;
  std::int32_t rebalance_timeout_ms = -1;
  /// Sorted, each once.
  std::vector<std::string> topics;
  /// Empty: none.
  std::string regex;
  /// The assignor that it asked for; empty: none.
  std::string assignor;
  std::optional<ClassicMemberPart> classic;

  /// -2: a static member that is away for a while and keeps its partitions.
  std::int32_t epoch = 0;
  std::int32_t previous_epoch = 0;
  MemberState state = MemberState::stable;
  HeldList assigned;
  /// To be given up; still held.
  HeldList revoking;
  PartitionList target;
  /// Log position of its last sign of life; names the silence that an expiry is about.
  Position last_sign;

  bool away() const { return epoch == kAway; }
  static constexpr std::int32_t kAway = -2;
};

/// Memory that it takes, about.
std::size_t bytes_of(const ConsumerMember& member);
/// Says everything about the member.
Hash128 hash_of(const ConsumerMember& member);

}  // namespace weir::state
