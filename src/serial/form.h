// The two spellings of Kafka's variable-size fields (KIP-482), and whether null may be said.
#pragma once

namespace weir::serial {

/// `classic`: int16 or int32 length, -1 for null. `compact`: unsigned varint of length + 1, 0 for
/// null; used by flexible versions, together with tagged fields.
enum class Form : bool { classic, compact };

enum class Null : bool { refused, allowed };

}  // namespace weir::serial
