#include "serial/reader.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <vector>

namespace weir::serial {
namespace {

SharedBytes bytes_of(std::initializer_list<int> values) {
  std::string text;
  for (int value : values) text.push_back(static_cast<char>(value));
  return SharedBytes::copy_of(as_bytes(text));
}

Reader over(std::initializer_list<int> values) { return Reader(bytes_of(values)); }

TEST(Reader, ReadsFixedIntegersBigEndian) {
  Reader r = over({0x80, 0x01, 0x02, 0xff, 0xff, 0xff, 0xfe, 0xff, 0xff, 1});
  EXPECT_EQ(r.int8("a"), -128);
  EXPECT_EQ(r.int16("b"), 0x0102);
  EXPECT_EQ(r.int32("c"), -2);
  EXPECT_EQ(r.uint16("d"), 0xffff);
  EXPECT_TRUE(r.boolean("e"));
  EXPECT_TRUE(r.expect_end());
}

TEST(Reader, ReadsWideValues) {
  Reader r =
      over({0x3f, 0xf8, 0, 0, 0, 0, 0, 0, 0x80, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff});
  EXPECT_EQ(r.float64("a"), 1.5);
  EXPECT_EQ(r.int64("b"), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(r.uint32("c"), 0xffffffffU);
  EXPECT_TRUE(r.expect_end());
}

TEST(Reader, AnyByteButZeroIsTrue) { EXPECT_TRUE(over({7}).boolean("flag")); }

TEST(Reader, FirstErrorStaysAndNamesFieldAndPlace) {
  Reader r = over({0, 0, 0, 1, 0});
  r.int32("Frame.first");
  EXPECT_EQ(r.int32("Frame.second"), 0);
  EXPECT_EQ(r.int8("Frame.third"), 0) << "a failed reader gives zeros, even if bytes are left";
  EXPECT_FALSE(r.ok());
  EXPECT_TRUE(r.error().is(ErrorCode::corrupt));
  EXPECT_EQ(r.error().message, "Frame.second at byte 4: needs 4 bytes, the input ends before");
  EXPECT_FALSE(r.expect_end());
}

TEST(Reader, EveryTruncationOfEveryPrimitiveIsAnError) {
  using Read = void (*)(Reader&);
  struct Case {
    SharedBytes input;
    Read read;
  };
  const std::vector<Case> cases = {
      {bytes_of({1, 2}), [](Reader& r) { r.int16("x"); }},
      {bytes_of({1, 2, 3, 4}), [](Reader& r) { r.int32("x"); }},
      {bytes_of({1, 2, 3, 4, 5, 6, 7, 8}), [](Reader& r) { r.int64("x"); }},
      {bytes_of({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}),
       [](Reader& r) { r.uuid("x"); }},
      {bytes_of({0x80, 0x80, 0x01}), [](Reader& r) { r.uvarint("x"); }},
      {bytes_of({0, 2, 'h', 'i'}), [](Reader& r) { r.string(Form::classic, "x"); }},
      {bytes_of({3, 'h', 'i'}), [](Reader& r) { r.string(Form::compact, "x"); }},
      {bytes_of({0, 0, 0, 2, 'h', 'i'}), [](Reader& r) { r.bytes(Form::classic, "x"); }},
      {bytes_of({3, 'h', 'i'}), [](Reader& r) { r.records(Form::compact, "x"); }},
      {bytes_of({2, 0, 1, 7, 9, 2, 8, 8}), [](Reader& r) { r.skip_tagged_fields("x"); }},
  };
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const SharedBytes& input = cases[i].input;
    Reader whole(input);
    cases[i].read(whole);
    EXPECT_TRUE(whole.expect_end()) << "case " << i;
    for (std::size_t size = 0; size < input.size(); ++size) {
      Reader cut(input.slice(0, size));
      cases[i].read(cut);
      EXPECT_FALSE(cut.ok()) << "case " << i << " cut to " << size;
    }
  }
}

TEST(Reader, VarintsReachTheEndsOfTheirTypes) {
  EXPECT_EQ(over({0xff, 0xff, 0xff, 0xff, 0x0f}).varint("x"),
            std::numeric_limits<std::int32_t>::min());
  EXPECT_EQ(over({0xfe, 0xff, 0xff, 0xff, 0x0f}).varint("x"),
            std::numeric_limits<std::int32_t>::max());
  EXPECT_EQ(over({0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1}).varlong("x"),
            std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(over({0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1}).uvarint("x"),
            std::numeric_limits<std::uint64_t>::max());
}

TEST(Reader, VarintsBeyondTheirTypesAreErrors) {
  Reader wide = over({0xff, 0xff, 0xff, 0xff, 0x1f});
  wide.uvarint32("x");
  EXPECT_FALSE(wide.ok());
  Reader long_zero = over({0x80, 0x80, 0x80, 0x80, 0x80, 0});
  long_zero.uvarint32("x");
  EXPECT_FALSE(long_zero.ok()) << "six bytes are too many for 32 bits, whatever they say";
  Reader endless = over({0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0});
  endless.uvarint("x");
  EXPECT_FALSE(endless.ok());
  Reader bit65 = over({0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2});
  bit65.uvarint("x");
  EXPECT_FALSE(bit65.ok());
}

TEST(Reader, NullIsAValueOnlyWhereItIsAllowed) {
  EXPECT_EQ(over({0}).nullable_string(Form::compact, Null::allowed, "x"), std::nullopt);
  EXPECT_EQ(over({0xff, 0xff}).nullable_string(Form::classic, Null::allowed, "x"), std::nullopt);
  EXPECT_EQ(over({1}).nullable_string(Form::compact, Null::refused, "x"), "");
  Reader refused = over({0xff, 0xff, 0xff, 0xff});
  refused.nullable_bytes(Form::classic, Null::refused, "Topic.name");
  EXPECT_EQ(refused.error().message, "Topic.name at byte 4: null is not allowed in this version");
  EXPECT_FALSE(over({0xff}).struct_present(Null::allowed, "x"));
  EXPECT_TRUE(over({1}).struct_present(Null::refused, "x"));
}

TEST(Reader, AbsurdCountsAreRefusedBeforeMemoryIsTaken) {
  Reader classic = over({0x7f, 0xff, 0xff, 0xff, 0, 0});
  EXPECT_EQ(classic.array(Form::classic, {1, 100}, "x"), 0U);
  EXPECT_FALSE(classic.ok());
  Reader compact = over({0xff, 0xff, 0xff, 0xff, 0x0f, 0, 0});
  EXPECT_EQ(compact.array(Form::compact, {1, 100}, "x"), 0U);
  EXPECT_FALSE(compact.ok());
  // Three elements of two bytes do not fit five.
  Reader tight = over({0, 0, 0, 3, 1, 1, 1, 1, 1});
  EXPECT_EQ(tight.array(Form::classic, {2, 2}, "x"), 0U);
  EXPECT_EQ(tight.error().message, "x at byte 4: 3 elements cannot fit the bytes left");
  Reader string = over({0xff, 0xff, 0xff, 0xff, 0x07, 'a'});
  string.string(Form::compact, "x");
  EXPECT_FALSE(string.ok());
}

TEST(Reader, DecodedMemoryHasABudget) {
  Reader r(bytes_of({0, 0, 0, 4, 1, 1, 1, 1, 0, 3, 'a', 'b', 'c'}), 64);
  EXPECT_EQ(r.array(Form::classic, {1, 16}, "Message.items"), 4U);
  r.int32("Message.rest");
  r.string(Form::classic, "Message.name");
  EXPECT_TRUE(r.error().is(ErrorCode::too_large));
  EXPECT_NE(r.error().message.find("Message.name"), std::string::npos);
}

TEST(Reader, StringsHaveKafkasLimit) {
  std::string text(40000, 'x');
  // 40001 as a varint.
  text.insert(0, "\xc1\xb8\x02");
  Reader r(SharedBytes::copy_of(as_bytes(text)));
  r.string(Form::compact, "x");
  EXPECT_TRUE(r.error().is(ErrorCode::too_large));
}

TEST(Reader, RecordsAreSlicesOfTheInput) {
  const SharedBytes input = bytes_of({0, 0, 0, 3, 1, 2, 3});
  Reader r(input);
  const BytesChain records = r.records(Form::classic, "x");
  ASSERT_EQ(records.parts().size(), 1U);
  EXPECT_EQ(records.parts()[0].view().data(), input.view().subspan(4).data());
}

TEST(Reader, TrailingBytesAreAnError) {
  Reader r = over({1, 2});
  r.int8("x");
  EXPECT_FALSE(r.expect_end());
  EXPECT_EQ(r.error().message, "end of message at byte 1: 1 bytes follow the end of the message");
}

TEST(TagReader, VisitsKnownAndSkipsUnknownTags) {
  Reader r = over({2, 0, 2, 0x12, 0x34, 9, 3, 1, 2, 3});
  std::int16_t known = 0;
  for (TagReader tags(r, "x"); tags.next();) {
    if (tags.tag() == 0) {
      known = r.int16("known");
    } else {
      tags.skip();
    }
  }
  EXPECT_EQ(known, 0x1234);
  EXPECT_TRUE(r.expect_end());
}

TEST(TagReader, AKnownTagMustUseItsSize) {
  for (int size : {1, 3}) {
    Reader r = over({1, 0, size, 1, 2, 3, 4});
    for (TagReader tags(r, "x"); tags.next();) r.int16("known");
    EXPECT_FALSE(r.ok()) << size;
  }
}

TEST(TagReader, AbsurdTagCountsAreRefused) {
  Reader r = over({0xff, 0xff, 0xff, 0xff, 0x0f, 0, 0, 0});
  r.skip_tagged_fields("x");
  EXPECT_FALSE(r.ok());
}

TEST(Reader, RefusalsOfDecodersAreErrorsToo) {
  Reader r = over({1});
  r.fail_version("FetchRequest", -3);
  EXPECT_TRUE(r.error().is(ErrorCode::unsupported));
  EXPECT_EQ(r.error().message, "FetchRequest has no version -3");
}

}  // namespace
}  // namespace weir::serial
