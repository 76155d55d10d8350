#include "codec/codec.h"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <string>
#include <vector>

#include "codec/limits.h"

namespace weir::codec {
namespace {

constexpr std::array kAll = {Codec::none, Codec::gzip, Codec::snappy, Codec::lz4, Codec::zstd};
constexpr std::array kCompressing = {Codec::gzip, Codec::snappy, Codec::lz4, Codec::zstd};
constexpr std::size_t kPlenty = std::size_t{64} << 20;

std::string from_hex(std::string_view hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes.push_back(static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16)));
  return bytes;
}

std::string compressed(Codec codec, std::string_view text, int level = level_default) {
  auto buffer = compress(codec, as_bytes(text), level);
  EXPECT_TRUE(buffer.has_value()) << describe(buffer.error());
  return buffer ? std::string(as_text(buffer->data())) : std::string();
}

// The text, or the kind of failure in angle brackets.
std::string decompressed(Codec codec, std::string_view bytes, std::size_t size_max = kPlenty) {
  auto buffer = decompress(codec, as_bytes(bytes), size_max);
  if (buffer) return std::string(as_text(buffer->data()));
  return "<" + std::string(to_string(buffer.error().code)) + ">";
}

std::vector<std::string> samples(unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::string> texts = {"", "a", std::string(200'000, 'x'),
                                    std::string(limits::xerial_block_bytes, 'y')};
  for (std::size_t size : {100u, 32'769u, 70'000u, 1'000'000u}) {
    std::string noise, words;
    while (noise.size() < size) noise.push_back(static_cast<char>(random()));
    while (words.size() < size) words += "word" + std::to_string(random() % 50) + " ";
    texts.push_back(noise);
    texts.push_back(words);
  }
  return texts;
}

TEST(Codec, NamesAndNumbersAreThoseOfKafka) {
  constexpr std::array<std::string_view, 5> names = {"none", "gzip", "snappy", "lz4", "zstd"};
  for (unsigned i = 0; i < names.size(); ++i) {
    EXPECT_EQ(to_string(*codec_of_attribute(i)), names[i]);
    EXPECT_EQ(codec_of_name(names[i]), codec_of_attribute(i));
  }
  EXPECT_FALSE(codec_of_attribute(5).has_value());
  EXPECT_FALSE(codec_of_name("brotli").has_value());
}

TEST(Codec, RoundTripsEveryCodecAndSize) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  for (const std::string& text : samples(seed))
    for (Codec codec : kAll) {
      std::string packed = compressed(codec, text);
      EXPECT_TRUE(decompressed(codec, packed, text.size()) == text) << to_string(codec);
      if (!text.empty()) {
        EXPECT_EQ(decompressed(codec, packed, text.size() - 1), "<too_large>") << to_string(codec);
      }
    }
}

TEST(Codec, RoundTripsEveryLevel) {
  std::string text = samples(1).back();
  text.resize(50'000);
  for (int level : {-1, 1, 6, 9})
    EXPECT_TRUE(decompressed(Codec::gzip, compressed(Codec::gzip, text, level)) == text);
  for (int level : {1, 9, 12, 17})
    EXPECT_TRUE(decompressed(Codec::lz4, compressed(Codec::lz4, text, level)) == text);
  for (int level : {-131072, -1, 0, 3, 22})
    EXPECT_TRUE(decompressed(Codec::zstd, compressed(Codec::zstd, text, level)) == text);
}

TEST(Codec, RefusesLevelsThatKafkaRefuses) {
  const std::vector<std::pair<Codec, int>> bad = {
      {Codec::none, 1},  {Codec::gzip, 0},   {Codec::gzip, 10},
      {Codec::gzip, -2}, {Codec::snappy, 1}, {Codec::lz4, 0},
      {Codec::lz4, 18},  {Codec::zstd, 23},  {Codec::zstd, -131073}};
  for (auto [codec, level] : bad) {
    EXPECT_FALSE(level_valid(codec, level)) << to_string(codec) << level;
    auto outcome = compress(codec, as_bytes("x"), level);
    ASSERT_FALSE(outcome.has_value());
    EXPECT_TRUE(outcome.error().is(ErrorCode::invalid_argument));
  }
}

TEST(Codec, JoinsMembersAndFrames) {
  for (Codec codec : kCompressing) {
    std::string joined = compressed(codec, "one ") + compressed(codec, "") +
                         compressed(codec, std::string(100'000, 'z'));
    EXPECT_TRUE(decompressed(codec, joined) == "one " + std::string(100'000, 'z'))
        << to_string(codec);
    EXPECT_EQ(decompressed(codec, joined, 1000), "<too_large>") << to_string(codec);
  }
}

TEST(Codec, EveryTruncationIsAnError) {
  std::string text = samples(2).back().substr(0, 3000);
  for (Codec codec : kCompressing) {
    std::string packed = compressed(codec, text);
    for (std::size_t size = 0; size < packed.size(); ++size) {
      std::string outcome = decompressed(codec, packed.substr(0, size));
      // A framed snappy stream may end behind any block: there is no end mark.
      if (codec == Codec::snappy && size == 16) {
        EXPECT_EQ(outcome, "");
      } else {
        EXPECT_EQ(outcome, "<corrupt>") << to_string(codec) << " cut at " << size;
      }
    }
  }
}

TEST(Codec, RubbishBehindTheDataIsAnError) {
  for (Codec codec : kCompressing)
    EXPECT_EQ(decompressed(codec, compressed(codec, "text") + "rubbish"), "<corrupt>")
        << to_string(codec);
}

TEST(Codec, DamageNeverCrashesOrPassesTheLimit) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  std::string text = samples(seed).at(7);
  for (Codec codec : kCompressing) {
    const std::string packed = compressed(codec, text);
    for (int round = 0; round < 300; ++round) {
      std::string damaged = packed;
      for (int i = 0; i < 3; ++i)
        damaged[random() % std::min<std::size_t>(damaged.size(), 1000)] ^=
            static_cast<char>(1 + random() % 255);
      auto outcome = decompress(codec, as_bytes(damaged), 100'000);
      if (outcome) {
        EXPECT_LE(outcome->size(), 100'000u);
      }
    }
  }
}

TEST(Codec, ABombStopsAtTheLimit) {
  std::string zeros(50'000'000, '\0');
  for (Codec codec : kCompressing)
    EXPECT_EQ(decompressed(codec, compressed(codec, zeros), 1'000'000), "<too_large>")
        << to_string(codec);
}

// Made by Python's gzip module.
TEST(Gzip, ReadsReferenceBytes) {
  EXPECT_EQ(
      decompressed(Codec::gzip, from_hex("1f8b0800000000000203cb48cdc9c9070086a6103605000000")),
      "hello");
}

TEST(Gzip, DoesNotTakeZlibOrRawDeflate) {
  EXPECT_EQ(decompressed(Codec::gzip, from_hex("789ccb48cdc9c90700062c0215")), "<corrupt>");
}

TEST(Snappy, ReadsARawBlockAsOtherClientsSendIt) {
  // Length 5, a literal of 5 bytes.
  EXPECT_EQ(decompressed(Codec::snappy, from_hex("051068656c6c6f")), "hello");
  EXPECT_EQ(decompressed(Codec::snappy, from_hex("00")), "");
  EXPECT_EQ(decompressed(Codec::snappy, from_hex("051068656c6c6f"), 4), "<too_large>");
  EXPECT_EQ(decompressed(Codec::snappy, from_hex("061068656c6c6f")), "<corrupt>");
}

TEST(Snappy, RefusesABlockThatClaimsTheImpossible) {
  // 2^31 bytes out of six.
  EXPECT_EQ(decompressed(Codec::snappy, from_hex("80808080081068")), "<corrupt>");
}

TEST(Snappy, WritesTheFramingOfSnappyJava) {
  std::string packed = compressed(Codec::snappy, "hello");
  EXPECT_EQ(to_hex(as_bytes(packed)), "82534e4150505900000000010000000100000007051068656c6c6f");
}

TEST(Snappy, RefusesBadFraming) {
  const std::string header = from_hex("82534e41505059000000000100000001");
  EXPECT_EQ(decompressed(Codec::snappy, header + from_hex("00000000")), "<corrupt>");
  EXPECT_EQ(decompressed(Codec::snappy, header + from_hex("ffffffff")), "<corrupt>");
  EXPECT_EQ(decompressed(Codec::snappy, header + from_hex("7fffffff00")), "<corrupt>");
  EXPECT_EQ(decompressed(Codec::snappy, from_hex("82534e41505059000000000000000001")), "<corrupt>");
}

// Made by the command `lz4`, with its default of a checksum over the content.
TEST(Lz4, ReadsReferenceBytes) {
  EXPECT_EQ(decompressed(Codec::lz4, from_hex("04224d186440a70500008068656c6c6f00000000f97700fb")),
            "hello");
}

// The command's option -BD, which Java does not read, but other clients do; two blocks of "a".
TEST(Lz4, ReadsFramesOfDependentBlocks) {
  std::string packed = from_hex("04224d184c407011010000000000640b0100001f610100") +
                       std::string(256, '\xff') +
                       from_hex(
                           "e75061616161611c0000001f610100ffffffffffffffffffffffffffffffffff6850616"
                           "1616161000000003d658117");
  EXPECT_TRUE(decompressed(Codec::lz4, packed) == std::string(70'000, 'a'));
}

TEST(Lz4, WritesFramesThatJavaReads) {
  std::string packed = compressed(Codec::lz4, "hello");
  // Version 1, independent blocks, no checksums; blocks of 64 KiB.
  EXPECT_EQ(to_hex(as_bytes(packed.substr(0, 6))), "04224d186040");
}

// Made by the command `zstd`, which adds a checksum.
TEST(Zstd, ReadsReferenceBytes) {
  EXPECT_EQ(decompressed(Codec::zstd, from_hex("28b52ffd045829000068656c6c6fa36d9f88")), "hello");
}

TEST(Zstd, SkipsSkippableFrames) {
  std::string skippable = from_hex("502a4d1803000000616263");
  EXPECT_EQ(decompressed(Codec::zstd, skippable + compressed(Codec::zstd, "hello")), "hello");
}

TEST(Zstd, BelievesNoClaimBeyondReason) {
  // A frame header that states a content of 2^62 bytes and then ends.
  EXPECT_EQ(decompressed(Codec::zstd, from_hex("28b52ffdc0300000000000000040")), "<corrupt>");
}

}  // namespace
}  // namespace weir::codec
