#include "serial/writer.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "serial/reader.h"

namespace weir::serial {
namespace {

std::string hex_of(Writer& writer) {
  const Result<BytesChain> chain = writer.finish();
  return chain ? to_hex(chain->flatten().view()) : "error: " + chain.error().message;
}

TEST(Writer, WritesFixedIntegersBigEndian) {
  Writer w;
  w.int8(-1);
  w.int16(0x0102);
  w.int32(-2);
  w.uint16(0xfffe);
  w.boolean(true);
  w.float64(1.5);
  EXPECT_EQ(w.size(), 18U);
  EXPECT_EQ(hex_of(w), "ff0102fffffffefffe013ff8000000000000");
}

TEST(Writer, WritesBothForms) {
  Writer w;
  w.string(Form::classic, "ab", "x");
  w.string(Form::compact, "ab", "x");
  w.nullable_string(Form::classic, Null::allowed, std::nullopt, "x");
  w.nullable_string(Form::compact, Null::allowed, std::nullopt, "x");
  w.nullable_array(Form::classic, Null::allowed, std::nullopt, "x");
  w.array(Form::compact, 200, "x");
  w.struct_present(Null::allowed, false, "x");
  EXPECT_EQ(hex_of(w),
            "0002616203"
            "6162"
            "ffff"
            "00"
            "ffffffff"
            "c901"
            "ff");
}

TEST(Writer, LargeContentIsAddedByReference) {
  const SharedBytes big = SharedBytes::copy_of(as_bytes(std::string(5000, 'r')));
  BytesChain records;
  records.append(big.slice(0, 3000));
  records.append(big.slice(3000, 2000));
  Writer w;
  w.int32(7);
  w.records(Form::classic, records, "records");
  w.int32(8);
  const Result<BytesChain> chain = w.finish();
  ASSERT_TRUE(chain);
  ASSERT_EQ(chain->parts().size(), 4U);
  EXPECT_EQ(chain->parts()[1].view().data(), big.view().data());
  EXPECT_EQ(chain->parts()[2].view().data(), big.view().subspan(3000).data());
  EXPECT_EQ(chain->size(), 4U + 4 + 5000 + 4);
}

TEST(Writer, SmallContentIsCopiedSoThatTheChainStaysShort) {
  Writer w;
  for (int i = 0; i < 20; ++i) w.bytes(Form::compact, SharedBytes::copy_of(as_bytes("ab")), "x");
  const Result<BytesChain> chain = w.finish();
  ASSERT_TRUE(chain);
  EXPECT_EQ(chain->parts().size(), 1U);
}

TEST(Writer, FramesAreFilledInAcrossChunks) {
  Writer w;
  w.int8(9);
  Writer::Placeholder frame = w.begin_frame();
  const std::string long_text(30000, 'z');
  w.string(Form::classic, long_text, "x");
  w.append_external(SharedBytes::copy_of(as_bytes(std::string(1000, 'y'))));
  w.end_frame(frame);
  const Result<BytesChain> chain = w.finish();
  ASSERT_TRUE(chain);
  Reader r(chain->flatten());
  EXPECT_EQ(r.int8("a"), 9);
  EXPECT_EQ(r.int32("size"), 31002);
  EXPECT_EQ(r.string(Form::classic, "text"), long_text);
  EXPECT_EQ(r.remaining(), 1000U);
}

TEST(Writer, TaggedContentIsPrecededByItsSize) {
  Writer w;
  w.tag_count(2);
  w.tag(0, 4);
  w.int32(1);
  Writer content;
  content.string(Form::compact, "abc", "x");
  w.tag(3, std::move(content));
  EXPECT_EQ(hex_of(w),
            "0200040000000103"
            "04"
            "04616263");
}

TEST(Writer, FirstErrorStaysAndIsReturned) {
  Writer w;
  w.string(Form::compact, std::string(32768, 'a'), "Topic.name");
  w.nullable_bytes(Form::classic, Null::refused, std::nullopt, "Topic.other");
  EXPECT_FALSE(w.ok());
  EXPECT_EQ(hex_of(w), "error: Topic.name: 32768 are more than the format can say");
  EXPECT_TRUE(w.ok()) << "after finish a writer starts anew";
  EXPECT_EQ(w.size(), 0U);
}

TEST(Writer, NullWhereItIsRefusedIsAnError) {
  Writer w;
  w.struct_present(Null::refused, false, "Group.assignment");
  EXPECT_TRUE(w.error().is(ErrorCode::unsupported));
  Writer outer;
  outer.tag(0, std::move(w));
  EXPECT_EQ(outer.error().message, "Group.assignment: null is not allowed in this version");
}

TEST(Writer, ErrorsOfEncodersNameFieldAndVersion) {
  Writer w;
  w.fail_field("FetchRequest.replica_id", 15);
  EXPECT_EQ(w.error().message, "FetchRequest.replica_id holds a value that version 15 lacks");
}

TEST(Writer, WhatItWritesAReaderReads) {
  const std::uint32_t seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  std::vector<std::uint64_t> values = {0, 1, 127, 128, 0xffffffff, ~std::uint64_t{0}};
  for (int i = 0; i < 2000; ++i) values.push_back(random() >> (random() % 64));
  Writer w;
  for (std::uint64_t value : values) {
    w.uvarint(value);
    w.varlong(static_cast<std::int64_t>(value));
    w.varint(static_cast<std::int32_t>(value));
    w.int64(static_cast<std::int64_t>(value));
  }
  const Result<BytesChain> chain = w.finish();
  ASSERT_TRUE(chain);
  Reader r(chain->flatten());
  for (std::uint64_t value : values) {
    ASSERT_EQ(r.uvarint("a"), value);
    ASSERT_EQ(r.varlong("b"), static_cast<std::int64_t>(value));
    ASSERT_EQ(r.varint("c"), static_cast<std::int32_t>(value));
    ASSERT_EQ(r.int64("d"), static_cast<std::int64_t>(value));
  }
  EXPECT_TRUE(r.expect_end());
}

}  // namespace
}  // namespace weir::serial
