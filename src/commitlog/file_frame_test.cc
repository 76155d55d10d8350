#include "commitlog/file_frame.h"

#include <gtest/gtest.h>

#include "commitlog/file_records.h"
#include "commitlog/limits.h"

namespace weir::commitlog {
namespace {

std::string frame(std::string_view payload, FrameHeader header = {}) {
  BytesChain chain;
  if (!payload.empty()) chain.append(SharedBytes::copy_of(as_bytes(payload)));
  FrameHeaderBytes bytes = encode_frame_header(header, chain);
  return std::string(as_text(bytes)) + std::string(payload);
}

FrameHeader header_at(std::uint64_t position, std::uint64_t durable_end = 0) {
  FrameHeader header;
  header.position = Position(position);
  header.durable_end = durable_end;
  header.salt = SegmentSalt(77);
  return header;
}

TEST(FileFrame, GivesBackWhatWasEncoded) {
  std::string bytes = frame("payload", header_at(12, 345));
  const std::string longer = bytes + "more";
  ParsedFrame parsed = parse_frame(as_bytes(longer));
  ASSERT_EQ(parsed.state, FrameState::whole);
  EXPECT_EQ(parsed.header.kind, FrameKind::entry);
  EXPECT_EQ(parsed.header.position, Position(12));
  EXPECT_EQ(parsed.header.durable_end, 345u);
  EXPECT_EQ(parsed.header.salt, SegmentSalt(77));
  EXPECT_EQ(as_text(parsed.payload), "payload");
  EXPECT_EQ(parsed.header.frame_bytes(), bytes.size());
}

// The golden bytes of docs/formats/file-log.md, not computed by this code.
TEST(FileFrame, HasTheLayoutOfItsPage) {
  FrameHeader header = header_at(0x0102, 0x0304);
  header.salt = SegmentSalt(0x1122334455667788u);
  EXPECT_EQ(to_hex(as_bytes(frame("abc", header))),
            "77464c31"
            "01000000"
            "03000000"
            "dc172cb5"
            "0201000000000000"
            "0403000000000000"
            "8877665544332211"
            "616263");
  header.kind = FrameKind::seal;
  EXPECT_EQ(to_hex(as_bytes(frame("", header)).subspan(0, 12)), "77464c310200000000000000");
  EXPECT_EQ(to_hex(encode_mark({Position(5), SegmentSalt(6), 7})),
            "77464d31"
            "bba1aca9"
            "0500000000000000"
            "0600000000000000"
            "0700000000000000");
  EXPECT_EQ(to_hex(encode_floor(Position(9))),
            "77464631"
            "5ee1aa48"
            "0900000000000000"
            "0000000000000000"
            "0000000000000000");
}

TEST(FileFrame, CutAtAnyByteIsNeverWhole) {
  std::string bytes = frame("some payload", header_at(3));
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    ParsedFrame parsed = parse_frame(as_bytes(bytes).first(size));
    EXPECT_EQ(parsed.state, FrameState::cut_off) << size;
  }
  EXPECT_EQ(parse_frame(as_bytes(bytes)).state, FrameState::whole);
}

TEST(FileFrame, AnyFlippedBitIsNoticed) {
  std::string bytes = frame("some payload", header_at(3, 9));
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
      EXPECT_NE(parse_frame(as_bytes(damaged)).state, FrameState::whole) << at << "." << bit;
    }
  }
}

TEST(FileFrame, ZerosAndOverlongLengthsAreBad) {
  EXPECT_EQ(parse_frame(as_bytes(std::string(100, '\0'))).state, FrameState::bad);
  std::string bytes = frame("x", header_at(0));
  std::uint32_t huge = kEntryBytesMax + 1;
  std::memcpy(bytes.data() + 8, &huge, 4);
  EXPECT_EQ(parse_frame(as_bytes(bytes)).state, FrameState::bad);
}

TEST(FileFrame, ALaterFrameVouchesOnlyIfItCallsTheDamageDurable) {
  std::string bad(60, '?');
  TailDamage damage{1'000, Position(5), true, SegmentSalt(77)};
  auto vouched = [&](const std::string& later) {
    return later_frame_vouches(as_bytes(bad + later), damage);
  };
  EXPECT_FALSE(vouched(""));
  EXPECT_FALSE(vouched(frame("later", header_at(6, 1'000))))
      << "written before the damage was safe";
  EXPECT_TRUE(vouched(frame("later", header_at(6, 1'060))));
  EXPECT_TRUE(vouched("garbage" + frame("later", header_at(6, 1'060)) + "garbage"));
  EXPECT_FALSE(vouched(frame("later", header_at(5, 1'060)))) << "no later position";
  std::string torn = frame("later", header_at(6, 1'060));
  torn.pop_back();
  EXPECT_FALSE(vouched(torn));
  FrameHeader foreign = header_at(6, 1'060);
  foreign.salt = SegmentSalt(78);
  EXPECT_FALSE(vouched(frame("a record that looks like a frame", foreign)));
}

TEST(FileRecords, AreReadBackAndDamageIsNoticed) {
  Mark mark{Position(123), SegmentSalt(456), 789};
  RecordBytes bytes = encode_mark(mark);
  EXPECT_EQ(decode_mark(bytes), mark);
  EXPECT_EQ(decode_floor(bytes), std::nullopt);
  EXPECT_EQ(decode_floor(encode_floor(Position(42))), Position(42));
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    RecordBytes damaged = bytes;
    damaged[at] ^= std::byte{1};
    EXPECT_EQ(decode_mark(damaged), std::nullopt) << at;
    EXPECT_EQ(decode_mark(Bytes(bytes).first(at)), std::nullopt);
  }
}

}  // namespace
}  // namespace weir::commitlog
