#include "state/snapshot/group_codec.h"

#include <limits>

#include "state/limits.h"
#include "state/snapshot/consumer_group_codec.h"

namespace weir::state {
namespace {

using serial::Form;
using serial::Reader;
using serial::Writer;

void write_text(Writer& out, std::string_view text) { out.string(Form::compact, text, "text"); }

void write_bytes(Writer& out, const SharedBytes& bytes) {
  out.uvarint(bytes.size());
  out.raw(bytes.view());
}

template <class T>
T number(Reader& in, const char* field, std::uint64_t max = std::numeric_limits<T>::max()) {
  std::uint64_t value = in.uvarint(field);
  if (value > max) {
    in.fail_value(field);
    return T{};
  }
  return static_cast<T>(value);
}

std::string text(Reader& in, const char* field, std::size_t max = kGroupTextBytesMax) {
  std::string value = in.string(Form::compact, field);
  if (in.ok() && value.size() > max) in.fail_value(field);
  return value;
}

SharedBytes bytes(Reader& in, const char* field) {
  const auto size = number<std::size_t>(in, field, kMemberBytesMax);
  return SharedBytes::copy_of(in.raw(in.ok() ? size : 0, field).view());
}

void expect(Reader& in, bool condition, const char* field) {
  if (in.ok() && !condition) in.fail_value(field);
}

}  // namespace

void write_unit(Writer& out, const Group& group) {
  const GroupValues& values = group.values();
  write_text(out, values.id);
  out.uvarint(static_cast<std::uint64_t>(values.kind));
  out.uvarint(static_cast<std::uint64_t>(values.generation));
  out.uvarint(static_cast<std::uint64_t>(values.phase));
  out.uvarint(values.phase_since.value);
  out.uvarint(static_cast<std::uint64_t>(values.initial_delay_ms));
  write_text(out, values.protocol_type);
  write_text(out, values.protocol_name);
  write_text(out, values.leader);
  out.varlong(values.empty_since_ms);
  if (group.consumer() != nullptr) write_consumer_group(out, *group.consumer());
}

ReadGroup read_group(Reader& in) {
  ReadGroup read;
  GroupValues& values = read.values;
  values.id = text(in, "group.id");
  const auto kind = number<std::uint8_t>(in, "group.kind", 2);
  expect(in, !values.id.empty() && kind >= 1, "group");
  values.kind = static_cast<GroupKind>(kind);
  values.generation = number<std::int32_t>(in, "group.generation");
  values.phase = static_cast<GroupPhase>(number<std::uint8_t>(in, "group.phase", 3));
  values.phase_since = Position(in.uvarint("group.phase_since"));
  values.initial_delay_ms = number<std::int32_t>(in, "group.initial_delay");
  values.protocol_type = text(in, "group.protocol_type");
  values.protocol_name = text(in, "group.protocol_name");
  values.leader = text(in, "group.leader");
  values.empty_since_ms = in.varlong("group.empty_since");
  if (!in.ok() || values.kind != GroupKind::consumer) return read;
  read.consumer = std::make_unique<ConsumerGroup>();
  expect(in, read_consumer_group(in, *read.consumer), "group.consumer");
  return read;
}

void write_unit(Writer& out, const std::string& group, const GroupMember& member) {
  const GroupMemberValues& values = member.values();
  write_text(out, group);
  write_text(out, values.id);
  out.nullable_string(Form::compact, serial::Null::allowed, values.instance, "instance");
  write_text(out, values.client_id);
  write_text(out, values.client_host);
  out.uvarint(static_cast<std::uint64_t>(values.session_timeout_ms));
  out.uvarint(static_cast<std::uint64_t>(values.rebalance_timeout_ms));
  out.uvarint(static_cast<std::uint64_t>(values.stage));
  out.uvarint(values.protocols.size());
  for (const OfferedProtocol& protocol : values.protocols) {
    write_text(out, protocol.name);
    write_bytes(out, protocol.metadata);
  }
  write_bytes(out, values.assignment);
  out.uvarint(member.last_sign().value);
  out.boolean(member.joined());
  out.boolean(member.synced());
}

ReadMember read_group_member(Reader& in) {
  ReadMember read;
  GroupMemberValues& values = read.values;
  read.group = text(in, "member.group");
  values.id = text(in, "member.id");
  expect(in, !values.id.empty(), "member.id");
  values.instance = in.nullable_string(Form::compact, serial::Null::allowed, "member.instance");
  expect(in, !values.instance || values.instance->size() <= kGroupTextBytesMax, "member.instance");
  values.client_id = text(in, "member.client_id");
  values.client_host = text(in, "member.client_host");
  values.session_timeout_ms = number<std::int32_t>(in, "member.session_timeout");
  values.rebalance_timeout_ms = number<std::int32_t>(in, "member.rebalance_timeout");
  values.stage = static_cast<MemberStage>(number<std::uint8_t>(in, "member.stage", 1));
  const auto count = number<std::size_t>(in, "member.protocols", kProtocolsPerMemberMax);
  for (std::size_t i = 0; i < count && in.ok(); ++i) {
    std::string name = text(in, "protocol.name");
    values.protocols.push_back({std::move(name), bytes(in, "protocol.metadata")});
  }
  values.assignment = bytes(in, "member.assignment");
  read.last_sign = Position(in.uvarint("member.last_sign"));
  read.joined = in.boolean("member.joined");
  read.synced = in.boolean("member.synced");
  return read;
}

void write_unit(Writer& out, const std::string& group, const GroupOffset& offset) {
  write_text(out, group);
  out.raw(offset.at().topic.view());
  out.uvarint(static_cast<std::uint64_t>(offset.at().partition.value));
  out.varlong(offset->offset);
  out.varint(offset->leader_epoch);
  out.varlong(offset->commit_ms);
  out.uvarint(offset->committed_at.value);
  write_text(out, offset->metadata);
}

ReadOffset read_group_offset(Reader& in) {
  ReadOffset read;
  read.group = text(in, "offset.group");
  read.at.topic = in.uuid("offset.topic");
  read.at.partition = PartitionIndex(number<std::int32_t>(in, "offset.partition"));
  read.values.offset = in.varlong("offset.offset");
  read.values.leader_epoch = in.varint("offset.leader_epoch");
  read.values.commit_ms = in.varlong("offset.commit_ms");
  read.values.committed_at = Position(in.uvarint("offset.committed_at"));
  read.values.metadata = text(in, "offset.metadata", kOffsetMetadataBytesMax);
  return read;
}

}  // namespace weir::state
