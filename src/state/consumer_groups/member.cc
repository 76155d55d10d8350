#include "state/consumer_groups/member.h"

namespace weir::state {
namespace {

constexpr UnitKind kKind = UnitKind::consumer_member;

/// Tells "not there" from "empty".
void add(HashWords& words, const std::optional<std::string>& text) {
  words.add(std::uint64_t{text.has_value()}).add(std::string_view(text ? *text : ""));
}

Hash128 hash_of(const std::optional<ClassicMemberPart>& classic) {
  if (!classic) return {};
  Hash128 sum = HashWords().add(std::uint64_t{classic->offers.size()}).finish(kKind);
  for (std::size_t i = 0; i < classic->offers.size(); ++i) {
    HashWords words;
    words.add(std::uint64_t{i}).add(std::string_view(classic->offers[i].name));
    sum += words.add(hash128(classic->offers[i].metadata.view())).finish(kKind);
  }
  return sum;
}

}  // namespace

std::size_t bytes_of(const ConsumerMember& member) {
  // Nodes of the indexes, and a place in the set of what is held for each partition.
  constexpr std::size_t kMemberBytes = sizeof(ConsumerMember) + 160;
  constexpr std::size_t kHeldBytes = sizeof(HeldPartition) + 48;
  std::size_t bytes = kMemberBytes + 2 * member.id.size() + member.regex.size();
  bytes += 2 * member.instance.value_or("").size() + member.rack.value_or("").size();
  bytes += member.client_id.size() + member.client_host.size() + member.assignor.size();
  for (const std::string& topic : member.topics) bytes += sizeof(std::string) + topic.size();
  if (member.classic)
    for (const ClassicOffer& offer : member.classic->offers)
      bytes += sizeof(ClassicOffer) + offer.name.size() + offer.metadata.size();
  bytes += (member.assigned.size() + member.revoking.size()) * kHeldBytes;
  return bytes + member.target.size() * sizeof(PartitionRef);
}

Hash128 hash_of(const ConsumerMember& member) {
  HashWords words;
  words.add(std::string_view(member.id));
  add(words, member.instance);
  add(words, member.rack);
  words.add(std::string_view(member.client_id)).add(std::string_view(member.client_host));
  words.add(std::string_view(member.regex)).add(std::string_view(member.assignor));
  Hash128 lists = hash_of(member.classic);
  for (const std::string& topic : member.topics)
    lists += HashWords().add(std::string_view(topic)).finish(kKind);
  HashWords outer;
  outer.add(words.finish(kKind)).add(lists);
  outer.add(std::int64_t{member.rebalance_timeout_ms});
  outer.add(std::int64_t{member.session_timeout_ms});
  outer.add(std::int64_t{member.epoch}).add(std::int64_t{member.previous_epoch});
  outer.add(static_cast<std::uint64_t>(member.state));
  outer.add(hash_of(member.assigned, kKind)).add(hash_of(member.revoking, UnitKind::span));
  outer.add(hash_of(member.target, UnitKind::partition)).add(member.last_sign.value);
  return outer.finish(kKind);
}

}  // namespace weir::state
