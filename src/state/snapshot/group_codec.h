// How groups, their members and their offsets are written in a snapshot, and read again.
//
// Private to snapshot/; rules as in unit_codec.h.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "serial/reader.h"
#include "serial/writer.h"
#include "state/consumer_groups/consumer_group.h"
#include "state/tables.h"

namespace weir::state {

void write_unit(serial::Writer& out, const Group& group);
/// `group` is the id of the group that it is in.
void write_unit(serial::Writer& out, const std::string& group, const GroupMember& member);
void write_unit(serial::Writer& out, const std::string& group, const GroupOffset& offset);

struct ReadGroup {
  GroupValues values;
  /// Set exactly if the kind is consumer.
  std::unique_ptr<ConsumerGroup> consumer;
};
ReadGroup read_group(serial::Reader& in);

struct ReadMember {
  std::string group;
  GroupMemberValues values;
  Position last_sign;
  bool joined = false;
  bool synced = false;
};
ReadMember read_group_member(serial::Reader& in);

struct ReadOffset {
  std::string group;
  PartitionRef at;
  OffsetValues values;
};
ReadOffset read_group_offset(serial::Reader& in);

}  // namespace weir::state
