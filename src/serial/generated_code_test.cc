// Properties of the code that tools/kafkagen writes, on a schema that uses every feature of its
// language: tools/kafkagen/testdata.
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "serial/example/kind.h"
#include "serial/example/move.h"
#include "serial/example/place.h"
#include "serial/reader.h"
#include "serial/writer.h"

namespace weir::serial {
namespace {

using example::Move;
using example::Place;

std::string hex_of(const Move& move, std::int16_t version) {
  Writer writer;
  encode(move, writer, version);
  const Result<BytesChain> chain = writer.finish();
  return chain ? to_hex(chain->flatten().view()) : "error: " + chain.error().message;
}

Move recoded(const Move& move, std::int16_t version) {
  Writer writer;
  encode(move, writer, version);
  const Result<BytesChain> chain = writer.finish();
  EXPECT_TRUE(chain) << chain.error().message;
  Reader reader(chain->flatten());
  Move result;
  EXPECT_TRUE(decode(result, reader, version)) << reader.error().message;
  EXPECT_TRUE(reader.expect_end());
  return result;
}

Move example() {
  Move move;
  move.who.bytes = {1, 2, 3};
  move.steps = {{.delta = -300}, {.delta = 5, .note = "five"}};
  move.last = Move::Step{.delta = 0, .note = ""};
  move.count = std::numeric_limits<std::uint64_t>::max();
  return move;
}

Move newer_example() {
  Move move = example();
  move.place = {.shard = 65535, .offset = 0, .tags = std::nullopt};
  move.places = {Place{.shard = 1, .tags = {{-1, 0, 1}}}};
  move.payload = std::nullopt;
  move.operator_ = false;
  move.limits.names = {"a", "b"};
  return move;
}

TEST(GeneratedCode, EveryTypeSurvivesARoundTrip) {
  EXPECT_EQ(recoded(example(), 0), example());
  EXPECT_EQ(recoded(newer_example(), 3), newer_example());
  EXPECT_EQ(recoded(newer_example(), 9), newer_example())
      << "levels above the last change are alike";
}

TEST(GeneratedCode, DefaultsAreThoseOfTheSchema) {
  const Move move;
  EXPECT_EQ(Move::Step().delta, -1);
  EXPECT_EQ(move.limits.low, std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(move.place.offset, 4294967295U);
  EXPECT_TRUE(move.operator_);
  EXPECT_EQ(move.ratio, 0.5);
  EXPECT_EQ(move.payload, SharedBytes());
  EXPECT_EQ(move.last, std::nullopt);
}

TEST(GeneratedCode, OldLevelsHaveTheOldBytes) {
  const std::string none = std::string(32, '0') +
                           "01"
                           "ff"
                           "00"
                           "3fe0000000000000"
                           "00";
  EXPECT_EQ(hex_of(Move(), 0), none);
  EXPECT_EQ(hex_of(Move(), 1), none);
  EXPECT_EQ(hex_of(Move(), 2), std::string(32, '0') +
                                   "01"
                                   "ff"
                                   "00"
                                   "0000ffffffff0100"
                                   "01"
                                   "01"
                                   "3fe0000000000000"
                                   "00");
}

TEST(GeneratedCode, ValuesThatALevelLacksAreErrorsUnlessIgnorable) {
  Move move;
  move.places.emplace_back();
  EXPECT_EQ(hex_of(move, 0), hex_of(Move(), 0));
  move.operator_ = false;
  EXPECT_EQ(hex_of(move, 2), "error: Move.operator holds a value that version 2 lacks");
  move = Move();
  move.payload.reset();
  EXPECT_EQ(hex_of(move, 2), "error: Move.payload: null is not allowed in this version");
  EXPECT_EQ(hex_of(Move(), -1), "error: Move has no version -1");
}

TEST(GeneratedCode, TagsOfLaterLevelsAreSkipped) {
  Move move = newer_example();
  move.payload = SharedBytes();
  Writer writer;
  encode(move, writer, 3);
  Reader reader(writer.finish()->flatten());
  Move old;
  ASSERT_TRUE(decode(old, reader, 2)) << reader.error().message;
  EXPECT_TRUE(reader.expect_end());
  EXPECT_TRUE(old.operator_);
  EXPECT_EQ(old.places, move.places);
}

TEST(GeneratedCode, EveryTruncationIsRefused) {
  Writer writer;
  encode(newer_example(), writer, 3);
  const SharedBytes whole = writer.finish()->flatten();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    Reader reader(whole.slice(0, size));
    Move move;
    EXPECT_FALSE(decode(move, reader, 3)) << size;
  }
}

TEST(GeneratedCode, KindsHaveNumbersAndNames) {
  EXPECT_EQ(static_cast<std::uint16_t>(example::CommandKind::move), Move::kType);
  EXPECT_EQ(example::to_string(example::CommandKind::move), "move");
  EXPECT_EQ(example::to_string(example::CommandKind{999}), "");
}

}  // namespace
}  // namespace weir::serial
