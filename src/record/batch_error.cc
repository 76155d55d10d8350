#include "record/batch_error.h"

#include <string>

namespace weir::record {

std::string_view describe(BatchError error) {
  switch (error) {
    case BatchError::empty: return "there is no record batch";
    case BatchError::cut_off: return "the bytes end inside the record batch";
    case BatchError::trailing_bytes: return "more than one record batch, or bytes behind it";
    case BatchError::bad_magic: return "only record batches of format 2 are accepted";
    case BatchError::bad_length: return "the record batch's length is less than its header";
    case BatchError::batch_too_large: return "the record batch is larger than the topic allows";
    case BatchError::bad_checksum: return "the record batch does not match its checksum";
    case BatchError::bad_count: return "record count and offset range of the batch do not match";
    case BatchError::unknown_codec: return "unknown compression codec";
    case BatchError::codec_not_allowed: return "zstd needs a newer version of the request";
    case BatchError::control_batch: return "clients may not write control records";
    case BatchError::bad_attributes: return "an attribute that only brokers may set";
    case BatchError::bad_producer: return "producer id, epoch and sequence do not fit together";
    case BatchError::bad_timestamp: return "a timestamp is out of the allowed range";
    case BatchError::key_missing: return "a compacted topic cannot accept a record without a key";
    case BatchError::bad_offset_delta: return "the offsets inside the batch are not consecutive";
    case BatchError::malformed_record: return "a record of the batch is malformed";
    case BatchError::undecodable: return "the records of the batch cannot be decompressed";
    case BatchError::records_too_large: return "the records are too large when decompressed";
  }
  return "unknown";
}

Error to_error(BatchError error) {
  auto code = ErrorCode::invalid_argument;
  switch (error) {
    case BatchError::batch_too_large:
    case BatchError::records_too_large: code = ErrorCode::too_large; break;
    case BatchError::bad_magic:
    case BatchError::unknown_codec:
    case BatchError::codec_not_allowed: code = ErrorCode::unsupported; break;
    case BatchError::empty:
    case BatchError::cut_off:
    case BatchError::trailing_bytes:
    case BatchError::bad_length:
    case BatchError::bad_checksum:
    case BatchError::bad_offset_delta:
    case BatchError::malformed_record:
    case BatchError::undecodable: code = ErrorCode::corrupt; break;
    case BatchError::bad_count:
    case BatchError::control_batch:
    case BatchError::bad_attributes:
    case BatchError::bad_producer:
    case BatchError::bad_timestamp:
    case BatchError::key_missing: break;
  }
  return {code, std::string(describe(error))};
}

}  // namespace weir::record
