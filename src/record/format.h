// The layout of a record batch, format ("magic") 2, which Kafka has used since 0.11 (KIP-98).
//
// All integers are big-endian. The batch length counts what follows it. The CRC32C covers
// everything from the attributes to the end: base offset and leader epoch lie outside, so a broker
// can stamp them without touching the checksum. The records behind the header are one compressed
// string, or plain; each is {length, attributes, timestamp delta, offset delta, key, value,
// headers} in zigzag varints.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weir::record {

namespace at {                                        // byte positions of the header's fields
inline constexpr std::size_t base_offset = 0;         // int64
inline constexpr std::size_t batch_length = 8;        // int32
inline constexpr std::size_t leader_epoch = 12;       // int32
inline constexpr std::size_t magic = 16;              // int8
inline constexpr std::size_t crc = 17;                // uint32
inline constexpr std::size_t attributes = 21;         // uint16
inline constexpr std::size_t last_offset_delta = 23;  // int32
inline constexpr std::size_t base_timestamp = 27;     // int64
inline constexpr std::size_t max_timestamp = 35;      // int64
inline constexpr std::size_t producer_id = 43;        // int64
inline constexpr std::size_t producer_epoch = 51;     // int16
inline constexpr std::size_t base_sequence = 53;      // int32
inline constexpr std::size_t record_count = 57;       // int32
inline constexpr std::size_t records = 61;
}  // namespace at

inline constexpr std::size_t batch_header_bytes = at::records;
/// Length, attributes, both deltas, absent key and value, no headers: a byte each.
inline constexpr std::size_t record_bytes_min = 7;
/// What stands before the part that the length field counts.
inline constexpr std::size_t batch_prefix_bytes = at::leader_epoch;
inline constexpr std::int8_t magic_v2 = 2;

namespace attribute {  // bits of the attributes; the rest is unused
inline constexpr std::uint16_t codec_mask = 0x07;
inline constexpr std::uint16_t log_append_time = 0x08;
inline constexpr std::uint16_t transactional = 0x10;
inline constexpr std::uint16_t control = 0x20;
/// The base timestamp is the time at which tombstones may go (KIP-534).
inline constexpr std::uint16_t delete_horizon = 0x40;
}  // namespace attribute

enum class TimestampType : std::uint8_t { create_time = 0, log_append_time = 1 };

/// A record or batch without a timestamp.
inline constexpr std::int64_t no_timestamp = -1;
/// A batch of a producer without a sequence.
inline constexpr std::int32_t no_sequence = -1;

}  // namespace weir::record
