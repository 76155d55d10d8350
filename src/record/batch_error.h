// BatchError: why a batch is refused, as a value.
//
// The produce path may refuse at line rate, so that a refusal costs no allocation; and `broker/`
// must choose one of Kafka's codes for each reason, with a table that a test can walk. Elsewhere
// `to_error` turns it into an ordinary Error.
#pragma once

#include <cstdint>
#include <expected>
#include <string_view>

#include "base/result.h"

namespace weir::record {

enum class BatchError : std::uint8_t {
  empty,              // no bytes at all
  cut_off,            // the bytes end inside the batch
  trailing_bytes,     // something follows the batch: exactly one is allowed
  bad_magic,          // not format 2
  bad_length,         // the length field is impossible
  batch_too_large,    // longer than the topic allows
  bad_checksum,       // CRC32C does not match
  bad_count,          // record count and last offset delta do not match, or are not positive
  unknown_codec,      // compression bits 5, 6 or 7
  codec_not_allowed,  // zstd where the request's version does not have it
  control_batch,      // only a broker writes control batches
  bad_attributes,     // a bit that only a broker sets
  bad_producer,       // producer id, epoch and sequence do not fit together
  bad_timestamp,      // out of the allowed window, or negative
  key_missing,        // a record without key on a compacted topic
  bad_offset_delta,   // offset deltas of records are not 0, 1, 2, …
  malformed_record,   // a record does not parse
  undecodable,        // the compressed records do not decompress
  records_too_large,  // the records are over the limit when decompressed
};
inline constexpr std::uint8_t batch_error_count =
    static_cast<std::uint8_t>(BatchError::records_too_large) + 1;

/// One sentence for people, without a full stop.
std::string_view describe(BatchError error);
Error to_error(BatchError error);

template <class T = void>
using Checked = std::expected<T, BatchError>;

}  // namespace weir::record
