#include "state/snapshot/consumer_group_codec.h"

#include <algorithm>
#include <limits>

#include "serial/reader.h"
#include "serial/writer.h"
#include "state/consumer_groups/consumer_group.h"
#include "state/limits.h"

namespace weir::state {
namespace {

using serial::Form;
using serial::Null;
using serial::Reader;
using serial::Writer;

constexpr serial::ElementSize kText{.wire_min = 1, .memory = sizeof(std::string)};
constexpr serial::ElementSize kPartition{.wire_min = 1, .memory = sizeof(HeldPartition)};
constexpr serial::ElementSize kTopic{.wire_min = 17, .memory = sizeof(HeldPartition)};
constexpr serial::ElementSize kOffer{.wire_min = 2, .memory = sizeof(ClassicOffer)};
constexpr serial::ElementSize kMember{.wire_min = 16, .memory = sizeof(ConsumerMember)};

void write_texts(Writer& out, const std::vector<std::string>& texts) {
  out.array(Form::compact, texts.size(), "consumer.topics");
  for (const std::string& text : texts) out.string(Form::compact, text, "consumer.topic");
}

std::vector<std::string> read_texts(Reader& in) {
  std::vector<std::string> texts(in.array(Form::compact, kText, "consumer.topics"));
  for (std::string& text : texts) text = in.string(Form::compact, "consumer.topic");
  if (std::ranges::adjacent_find(texts, std::ranges::greater_equal()) != texts.end())
    in.fail_value("consumer.topics");
  return texts;
}

PartitionRef ref_of(const PartitionRef& at) { return at; }
PartitionRef ref_of(const HeldPartition& held) { return held.at; }

void write_partition(Writer& out, const PartitionRef& at) {
  out.uvarint(static_cast<std::uint64_t>(at.partition.value));
}
void write_partition(Writer& out, const HeldPartition& held) {
  write_partition(out, held.at);
  out.varint(held.epoch);
}

/// By topic; both kinds of list are sorted.
template <class List>
void write_list(Writer& out, const List& list) {
  std::size_t topics = 0;
  for (std::size_t i = 0; i < list.size(); ++i)
    if (i == 0 || ref_of(list[i]).topic != ref_of(list[i - 1]).topic) ++topics;
  out.array(Form::compact, topics, "consumer.partitions");
  for (std::size_t i = 0; i < list.size();) {
    std::size_t end = i;
    while (end < list.size() && ref_of(list[end]).topic == ref_of(list[i]).topic) ++end;
    out.uuid(ref_of(list[i]).topic);
    out.array(Form::compact, end - i, "consumer.partitions");
    for (; i < end; ++i) write_partition(out, list[i]);
  }
}

void read_partition(Reader& in, PartitionRef& at) {
  std::uint64_t number = in.uvarint("consumer.partition");
  // A client can make us keep any number, so any 32 bits are one.
  if (number > static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max()))
    in.fail_value("consumer.partition");
  else
    at.partition = PartitionIndex(static_cast<std::int32_t>(number));
}
void read_partition(Reader& in, HeldPartition& held) {
  read_partition(in, held.at);
  held.epoch = in.varint("consumer.epoch");
}
PartitionRef& ref_of(PartitionRef& at) { return at; }
PartitionRef& ref_of(HeldPartition& held) { return held.at; }

template <class List>
List read_list(Reader& in) {
  List list;
  std::size_t topics = in.array(Form::compact, kTopic, "consumer.partitions");
  for (std::size_t t = 0; t < topics && in.ok(); ++t) {
    TopicId topic = in.uuid("consumer.topic_id");
    std::size_t count = in.array(Form::compact, kPartition, "consumer.partitions");
    for (std::size_t i = 0; i < count && in.ok(); ++i) {
      typename List::value_type item;
      ref_of(item).topic = topic;
      read_partition(in, item);
      if (!list.empty() && ref_of(list.back()) >= ref_of(item))
        in.fail_value("consumer.partitions");
      list.push_back(item);
    }
  }
  return list;
}

void write_classic(Writer& out, const ClassicMemberPart& classic) {
  out.array(Form::compact, classic.offers.size(), "consumer.offers");
  for (const ClassicOffer& offer : classic.offers) {
    out.string(Form::compact, offer.name, "consumer.offer");
    out.bytes(Form::compact, offer.metadata, "consumer.metadata");
  }
}

ClassicMemberPart read_classic(Reader& in) {
  ClassicMemberPart classic;
  classic.offers.resize(in.array(Form::compact, kOffer, "consumer.offers"));
  for (ClassicOffer& offer : classic.offers) {
    offer.name = in.string(Form::compact, "consumer.offer");
    offer.metadata = in.bytes(Form::compact, "consumer.metadata");
  }
  return classic;
}

void write_member(Writer& out, const ConsumerMember& member) {
  out.string(Form::compact, member.id, "consumer.member");
  out.nullable_string(Form::compact, Null::allowed, member.instance, "consumer.instance");
  out.nullable_string(Form::compact, Null::allowed, member.rack, "consumer.rack");
  out.string(Form::compact, member.client_id, "consumer.client_id");
  out.string(Form::compact, member.client_host, "consumer.client_host");
  out.varint(member.session_timeout_ms);
  out.varint(member.rebalance_timeout_ms);
  write_texts(out, member.topics);
  out.string(Form::compact, member.regex, "consumer.regex");
  out.string(Form::compact, member.assignor, "consumer.assignor");
  out.boolean(member.classic.has_value());
  if (member.classic) write_classic(out, *member.classic);
  out.varint(member.epoch);
  out.varint(member.previous_epoch);
  out.int8(static_cast<std::int8_t>(member.state));
  write_list(out, member.assigned);
  write_list(out, member.revoking);
  write_list(out, member.target);
  out.uvarint(member.last_sign.value);
}

ConsumerMember read_member(Reader& in) {
  ConsumerMember member;
  member.id = in.string(Form::compact, "consumer.member");
  member.instance = in.nullable_string(Form::compact, Null::allowed, "consumer.instance");
  member.rack = in.nullable_string(Form::compact, Null::allowed, "consumer.rack");
  member.client_id = in.string(Form::compact, "consumer.client_id");
  member.client_host = in.string(Form::compact, "consumer.client_host");
  member.session_timeout_ms = in.varint("consumer.session_timeout");
  member.rebalance_timeout_ms = in.varint("consumer.rebalance_timeout");
  member.topics = read_texts(in);
  member.regex = in.string(Form::compact, "consumer.regex");
  member.assignor = in.string(Form::compact, "consumer.assignor");
  if (in.boolean("consumer.is_classic")) member.classic = read_classic(in);
  member.epoch = in.varint("consumer.epoch");
  member.previous_epoch = in.varint("consumer.epoch");
  std::int8_t state = in.int8("consumer.state");
  if (state < 0 || state > static_cast<std::int8_t>(MemberState::unreleased))
    in.fail_value("consumer.state");
  else
    member.state = static_cast<MemberState>(state);
  member.assigned = read_list<HeldList>(in);
  member.revoking = read_list<HeldList>(in);
  member.target = read_list<PartitionList>(in);
  member.last_sign = Position(in.uvarint("consumer.last_sign"));
  return member;
}

}  // namespace

void write_consumer_group(Writer& out, const ConsumerGroup& group) {
  out.varint(group.epoch());
  out.varint(group.target_epoch());
  out.int64(static_cast<std::int64_t>(group.metadata_hash()));
  out.array(Form::compact, group.regexes().size(), "consumer.regexes");
  for (const auto& [regex, topics] : group.regexes()) {
    out.string(Form::compact, regex, "consumer.regex");
    write_texts(out, topics);
  }
  out.array(Form::compact, group.members().size(), "consumer.members");
  for (const auto& [id, member] : group.members()) write_member(out, member);
}

bool read_consumer_group(Reader& in, ConsumerGroup& group) {
  group.set_epoch(in.varint("consumer.epoch"));
  group.set_target_epoch(in.varint("consumer.target_epoch"));
  group.set_metadata_hash(static_cast<std::uint64_t>(in.int64("consumer.metadata_hash")));
  if (group.epoch() < 0 || group.target_epoch() < 0 || group.target_epoch() > group.epoch())
    in.fail_value("consumer.epoch");
  ConsumerGroup::Regexes regexes;
  std::size_t count = in.array(Form::compact, kText, "consumer.regexes");
  for (std::size_t i = 0; i < count && in.ok(); ++i) {
    std::string regex = in.string(Form::compact, "consumer.regex");
    regexes.insert_or_assign(std::move(regex), read_texts(in));
  }
  if (in.ok() && regexes.size() != count) in.fail_value("consumer.regexes");
  group.set_regexes(std::move(regexes));
  count = in.array(Form::compact, kMember, "consumer.members");
  for (std::size_t i = 0; i < count && in.ok(); ++i) {
    ConsumerMember member = read_member(in);
    if (!in.ok()) break;
    if (member.id.empty() || group.find(member.id) != nullptr || !group.put(std::move(member)))
      in.fail_value("consumer.member");
  }
  return in.ok();
}

}  // namespace weir::state
