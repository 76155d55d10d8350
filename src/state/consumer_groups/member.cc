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
