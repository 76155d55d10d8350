// Frames: how the file log wraps an entry, and how it tells an entry from the remains of one.
//
// docs/formats/file-log.md is the contract; this is its mirror. A frame says which position it
// holds, in which segment file it was written (the salt, random per file, so that neither old disk
// blocks nor bytes that a client chose pass for a frame), and how much of the file its writer knew
// to be durable. The last makes damage tell itself apart: a bad frame that a later one calls
// durable is corruption; any other bad frame is a torn write that nobody was told about.
//
// Pure: bytes in, values out.
#pragma once

#include <array>
#include <cstdint>

#include "base/bytes.h"
#include "base/ids.h"

namespace weir::commitlog {

/// Random per segment file; in each of its frames.
using SegmentSalt = Strong<struct SegmentSaltTag, std::uint64_t>;

inline constexpr std::size_t kFrameHeaderBytes = 40;

enum class FrameKind : std::uint8_t {
  entry = 1,
  seal = 2,  // the segment ends here; its position is that of the next segment's first entry
};

struct FrameHeader {
  FrameKind kind = FrameKind::entry;
  std::uint32_t length = 0;  // of the payload
  std::uint32_t crc = 0;     // CRC32C of the header without this field, then the payload
  Position position;
  std::uint64_t durable_end = 0;  // bytes of this file that were durable when this was written
  SegmentSalt salt;

  std::uint64_t frame_bytes() const { return kFrameHeaderBytes + length; }
};

using FrameHeaderBytes = std::array<std::byte, kFrameHeaderBytes>;

/// The header for `payload`, with length and checksum filled in.
FrameHeaderBytes encode_frame_header(FrameHeader header, const BytesChain& payload);

enum class FrameState : unsigned char {
  whole,
  cut_off,  // a plausible beginning; more bytes would be needed
  bad,
};

struct ParsedFrame {
  FrameState state = FrameState::bad;
  FrameHeader header;  // valid unless bad
  Bytes payload;       // valid if whole
};

/// Looks at the frame that begins at `bytes`, checks lengths and checksum. Says nothing about
/// whether position and salt are the ones expected.
ParsedFrame parse_frame(Bytes bytes);
/// The header alone; `cut_off` if there are too few bytes. The checksum is not checked.
ParsedFrame parse_frame_header(Bytes bytes);

/// What is known about the place where the frames of a file stop.
struct TailDamage {
  std::uint64_t offset = 0;  // of the first byte that is not part of a whole frame
  Position expected;         // the position that should stand there
  bool salt_known = false;   // false if no frame of the file is whole before
  SegmentSalt salt;
};

/// `rest` is the file from the damage to its end. True if a later frame proves that the bytes at
/// the damage were durable once: corruption, not a torn write.
bool later_frame_vouches(Bytes rest, const TailDamage& damage);

}  // namespace weir::commitlog
