#include "state/groups/group.h"

#include "state/consumer_groups/consumer_group.h"

namespace weir::state {
namespace {

std::uint64_t length(std::string_view text) { return text.size(); }

}  // namespace

void GroupMember::create(EditKey, std::string_view group_id, GroupMemberValues values) {
  live_ = true;
  group_hash_ = hash64(weir::as_bytes(group_id));
  values_ = std::move(values);
  rehash();
}

void GroupMember::rehash() {
  Hash128 protocols;
  std::uint64_t place = 0;
  for (const OfferedProtocol& protocol : values_.protocols) {
    HashWords words;
    words.add(++place).add(std::string_view(protocol.name));
    words.add(hash128(protocol.metadata.view()));
    protocols += words.finish(UnitKind::group_member);
  }
  HashWords words;
  words.add(std::string_view(values_.id)).add(std::string_view(values_.client_id));
  words.add(std::string_view(values_.client_host));
  words.add(std::uint64_t{values_.instance ? 1u : 0u});
  words.add(std::string_view(values_.instance ? *values_.instance : std::string()));
  words.add(std::int64_t{values_.session_timeout_ms});
  words.add(std::int64_t{values_.rebalance_timeout_ms});
  words.add(static_cast<std::uint64_t>(values_.stage)).add(protocols);
  words.add(length(as_text(values_.assignment.view())));
  words.add(hash128(values_.assignment.view()));
  content_ = words.finish(UnitKind::group_member);
}

Hash128 GroupMember::hash() const {
  if (!live_) return {};
  HashWords words;
  words.add(group_hash_).add(content_).add(last_sign_.value);
  words.add(std::uint64_t{joined_ ? 1u : 0u}).add(std::uint64_t{synced_ ? 1u : 0u});
  return words.finish(UnitKind::group_member);
}

Group::Group() = default;
Group::~Group() = default;
Group::Group(Group&&) noexcept = default;
Group& Group::operator=(Group&&) noexcept = default;

void Group::set_consumer(EditKey, std::unique_ptr<ConsumerGroup> consumer) {
  values_.kind = consumer ? GroupKind::consumer : GroupKind::classic;
  consumer_ = std::move(consumer);
}

bool Group::empty() const { return consumer_ ? consumer_->members().empty() : counts.members == 0; }

std::uint64_t expiry_guard(const Group& group) {
  return group.consumer() != nullptr ? static_cast<std::uint64_t>(group.consumer()->epoch())
                                     : group->phase_since.value;
}

Hash128 Group::hash() const {
  if (!live_) return {};
  HashWords words;
  words.add(std::string_view(values_.id)).add(static_cast<std::uint64_t>(values_.kind));
  words.add(std::int64_t{values_.generation}).add(static_cast<std::uint64_t>(values_.phase));
  words.add(values_.phase_since.value).add(std::int64_t{values_.initial_delay_ms});
  words.add(std::string_view(values_.protocol_type)).add(std::string_view(values_.protocol_name));
  words.add(std::string_view(values_.leader)).add(values_.empty_since_ms);
  words.add(consumer_ ? consumer_->hash() : Hash128());
  return words.finish(UnitKind::group);
}

}  // namespace weir::state
