// A group of the consumer protocol in a snapshot, inside of its group's unit
// (docs/formats/snapshot.md).
#pragma once

namespace weir::serial {
class Reader;
class Writer;
}  // namespace weir::serial

namespace weir::state {

class ConsumerGroup;

void write_consumer_group(serial::Writer& out, const ConsumerGroup& group);
/// Into an empty group. False if the bytes are not those of a possible one.
bool read_consumer_group(serial::Reader& in, ConsumerGroup& group);

}  // namespace weir::state
