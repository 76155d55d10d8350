// Batches: makes the record batches that the simulated producers send, and reads what consumers
// get. Every record says which stream it belongs to and which number it has there.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "engine/api.h"
#include "record/batch_view.h"
#include "record/reader.h"
#include "rt/random.h"
#include "tests/sim/checker.h"

namespace weir::sim {

struct NewBatch {
  StreamId stream = 0;
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  std::uint32_t value_bytes_max = 100;
  WallMillis timestamp;
  std::uint32_t tombstones_percent = 0;
  codec::Codec codec = codec::Codec::none;
  /// -1: not idempotent.
  ProducerId producer{-1};
  std::int32_t sequence = -1;
};

struct MadeBatch {
  SharedBytes bytes;
  record::BatchInfo info;
  /// In order; without their offsets.
  std::vector<Seen> records;
};
MadeBatch make_batch(const NewBatch& batch, rt::Random& random);

struct NewRecordText {
  std::string key;
  std::string value;
};
/// A record that names its stream and number, with up to `value_bytes_max` random bytes behind.
NewRecordText make_record(StreamId stream, std::uint32_t number, std::uint32_t value_bytes_max,
                          rt::Random& random);

/// The same batch in memory of its own: a broker stamps what it was sent.
engine::ProduceItem item_of(PartitionRef at, const MadeBatch& batch);

/// Hash of everything that a record is, and what it says of itself.
Seen seen_of(Offset offset, std::int64_t timestamp_ms, Bytes key, Bytes value);
Seen seen_of(const record::RecordView& record);
/// All records of an answer, and the offset behind its last batch. False, with the reason, if they
/// cannot be read.
bool read_batches(const BytesChain& records, std::vector<Seen>& out, Offset& next,
                  std::string& why);

}  // namespace weir::sim
