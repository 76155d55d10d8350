#include "state/consumer_groups/consumer_group.h"

#include <algorithm>
#include <limits>

#include "state/slot_index.h"

namespace weir::state {

std::size_t ConsumerGroup::RefHash::operator()(const PartitionRef& at) const {
  return mix(at.topic.low64() ^ static_cast<std::uint64_t>(at.partition.value));
}

const ConsumerMember* ConsumerGroup::find(std::string_view id) const {
  auto at = members_.find(id);
  return at == members_.end() ? nullptr : &at->second;
}

const ConsumerMember* ConsumerGroup::find_static(std::string_view instance) const {
  auto at = statics_.find(instance);
  return at == statics_.end() ? nullptr : find(at->second);
}

ConsumerGroupState ConsumerGroup::state() const {
  if (members_.empty()) return ConsumerGroupState::empty;
  if (epoch_ > target_epoch_) return ConsumerGroupState::assigning;
  bool settled = std::ranges::all_of(members_, [&](const auto& item) {
    return item.second.state == MemberState::stable && item.second.epoch == target_epoch_;
  });
  return settled ? ConsumerGroupState::stable : ConsumerGroupState::reconciling;
}

bool ConsumerGroup::subscribes(const ConsumerMember& member, std::string_view topic) const {
  if (std::ranges::binary_search(member.topics, topic, std::less<>())) return true;
  if (member.regex.empty()) return false;
  auto resolved = regexes_.find(member.regex);
  return resolved != regexes_.end() &&
         std::ranges::binary_search(resolved->second, topic, std::less<>());
}

bool ConsumerGroup::subscribes(std::string_view topic) const {
  return std::ranges::any_of(members_,
                             [&](const auto& item) { return subscribes(item.second, topic); });
}

bool ConsumerGroup::all_classic() const {
  return !members_.empty() && std::ranges::all_of(members_, [](const auto& item) {
    return item.second.classic.has_value();
  });
}

Hash128 ConsumerGroup::hash() const {
  HashWords words;
  words.add(std::int64_t{epoch_}).add(std::int64_t{target_epoch_}).add(metadata_hash_);
  words.add(members_hash_).add(regexes_hash_);
  return words.finish(UnitKind::consumer_member);
}

bool ConsumerGroup::put(ConsumerMember member) {
  const ConsumerMember* old = find(member.id);
  const auto free = [&](const HeldPartition& held) {
    return !held_.contains(held.at) || (old != nullptr && (find_held(old->assigned, held.at) ||
                                                           find_held(old->revoking, held.at)));
  };
  if (!std::ranges::all_of(member.assigned, free) || !std::ranges::all_of(member.revoking, free))
    return false;
  for (const HeldPartition& held : member.revoking)
    if (find_held(member.assigned, held.at) != nullptr) return false;
  if (member.instance) {
    const ConsumerMember* other = find_static(*member.instance);
    if (other != nullptr && other->id != member.id) return false;
  }
  if (old != nullptr) forget(*old);
  for (const HeldPartition& held : member.assigned) held_.insert(held.at);
  for (const HeldPartition& held : member.revoking) held_.insert(held.at);
  if (member.instance) statics_[*member.instance] = member.id;
  members_hash_ += hash_of(member);
  members_bytes_ += bytes_of(member);
  std::string id = member.id;
  members_.insert_or_assign(std::move(id), std::move(member));
  return true;
}

void ConsumerGroup::remove(std::string_view id) {
  auto at = members_.find(id);
  if (at == members_.end()) return;
  forget(at->second);
  members_.erase(at);
}

void ConsumerGroup::forget(const ConsumerMember& member) {
  members_hash_ -= hash_of(member);
  members_bytes_ -= bytes_of(member);
  for (const HeldPartition& held : member.assigned) held_.erase(held.at);
  for (const HeldPartition& held : member.revoking) held_.erase(held.at);
  if (member.instance) statics_.erase(*member.instance);
}

bool ConsumerGroup::bump_epoch() {
  if (epoch_ == std::numeric_limits<std::int32_t>::max()) return false;
  ++epoch_;
  return true;
}

void ConsumerGroup::set_regexes(Regexes regexes) {
  regexes_ = std::move(regexes);
  regexes_hash_ = {};
  regexes_bytes_ = 0;
  for (const auto& [regex, topics] : regexes_) {
    Hash128 names;
    regexes_bytes_ += regex.size() + 128;
    for (const std::string& topic : topics) regexes_bytes_ += sizeof(std::string) + topic.size();
    for (const std::string& topic : topics)
      names += HashWords().add(std::string_view(topic)).finish(UnitKind::consumer_member);
    HashWords words;
    words.add(std::string_view(regex)).add(names);
    regexes_hash_ += words.finish(UnitKind::consumer_member);
  }
}

void ConsumerGroup::set_target(std::string_view id, PartitionList target) {
  auto at = members_.find(id);
  if (at == members_.end() || at->second.target == target) return;
  members_hash_ -= hash_of(at->second);
  members_bytes_ -= bytes_of(at->second);
  at->second.target = std::move(target);
  members_hash_ += hash_of(at->second);
  members_bytes_ += bytes_of(at->second);
}

void ConsumerGroup::vouch(std::string_view id, Position position) {
  auto at = members_.find(id);
  if (at == members_.end()) return;
  members_hash_ -= hash_of(at->second);
  at->second.last_sign = position;
  members_hash_ += hash_of(at->second);
}

}  // namespace weir::state
