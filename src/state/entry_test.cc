#include "state/entry.h"

#include <gtest/gtest.h>

#include <random>

#include "codec/crc32c.h"
#include "state/limits.h"
#include "state/testing/log_builder.h"

namespace weir::state {
namespace {

using testing::filler;
using testing::id_of;

EntryHeader some_header() {
  EntryHeader header;
  header.cluster_tag = cluster_tag_of("cluster");
  header.position = Position(77);
  header.previous = id_of<Nonce>(1);
  header.nonce = id_of<Nonce>(2);
  header.writer = id_of<Incarnation>(3);
  header.wall = WallMillis(-5);
  header.level = FeatureLevel(1);
  return header;
}

EncodedCommand command_of(std::uint16_t type, std::string_view body) {
  return {type, SharedBytes::copy_of(as_bytes(body))};
}

std::vector<CommandGroup> some_groups() {
  return {{id_of<Incarnation>(3), CommandCounter(9), {command_of(1, "a"), command_of(700, "")}},
          {id_of<Incarnation>(4), CommandCounter(1), {command_of(65535, "xyz")}}};
}

SharedBytes some_entry() {
  return encode_entry(some_header(), some_groups(), filler(100)).flatten();
}

void fix_header_crc(MutableBytes bytes) {
  auto size = std::to_integer<std::size_t>(bytes[10]) | std::to_integer<std::size_t>(bytes[11])
                                                            << 8;
  std::uint32_t crc = codec::crc32c(Bytes(bytes).first(size - 4));
  std::memcpy(bytes.subspan(size - 4).data(), &crc, 4);
}

TEST(Entry, is_read_as_it_was_written) {
  Result<EntryView> entry = decode_entry(some_entry());
  ASSERT_TRUE(entry.has_value()) << describe(entry.error());
  EXPECT_EQ(entry->header, some_header());
  EXPECT_FALSE(entry->malformed);
  std::vector<CommandGroup> groups = some_groups();
  ASSERT_EQ(entry->groups.size(), groups.size());
  for (std::size_t g = 0; g < groups.size(); ++g) {
    EXPECT_EQ(entry->groups[g].incarnation, groups[g].incarnation);
    EXPECT_EQ(entry->groups[g].first, groups[g].first);
    ASSERT_EQ(entry->groups[g].commands.size(), groups[g].commands.size());
    for (std::size_t i = 0; i < groups[g].commands.size(); ++i) {
      EXPECT_EQ(entry->groups[g].commands[i].type, groups[g].commands[i].type);
      EXPECT_EQ(as_text(entry->groups[g].commands[i].body.view()),
                as_text(groups[g].commands[i].body.view()));
    }
  }
  Result<SharedBytes> inlined = inline_section(*entry);
  ASSERT_TRUE(inlined.has_value());
  EXPECT_EQ(as_text(inlined->view()), std::string(100, 'x'));
}

TEST(Entry, is_complete_without_its_inline_bytes) {
  SharedBytes whole = some_entry();
  SharedBytes head = whole.slice(0, whole.size() - 100);
  Result<EntryView> entry = decode_entry(head);
  ASSERT_TRUE(entry.has_value());
  EXPECT_EQ(entry->groups.size(), 2u);
  EXPECT_EQ(entry->inline_bytes, 100u);
  EXPECT_TRUE(inline_section(*entry).error().is(ErrorCode::corrupt));
}

TEST(Entry, keeps_inline_data_uncopied) {
  BytesChain data = filler(1000);
  BytesChain entry = encode_entry(some_header(), {}, data);
  ASSERT_EQ(entry.parts().size(), 2u);
  EXPECT_EQ(entry.parts()[1].view().data(), data.parts()[0].view().data());
}

TEST(Entry, compresses_long_commands_that_become_smaller) {
  std::string body(10'000, 'y');
  std::vector<CommandGroup> groups = {
      {id_of<Incarnation>(1), CommandCounter(1), {command_of(5, body)}}};
  SharedBytes bytes = encode_entry(some_header(), groups, {}).flatten();
  EXPECT_LT(bytes.size(), 1'000u);
  Result<EntryView> entry = decode_entry(bytes);
  ASSERT_TRUE(entry.has_value());
  ASSERT_EQ(entry->groups.size(), 1u);
  EXPECT_EQ(as_text(entry->groups[0].commands[0].body.view()), body);
}

TEST(Entry, any_damaged_byte_is_noticed) {
  SharedBytes good = some_entry();
  for (std::size_t at = 0; at < good.size(); ++at) {
    SharedBytes bad = SharedBytes::copy_of(good.view());
    bad.mutable_view()[at] ^= std::byte{0x10};
    Result<EntryView> entry = decode_entry(bad);
    if (entry.has_value()) {
      EXPECT_FALSE(inline_section(*entry).has_value()) << "at " << at;
    } else {
      EXPECT_TRUE(entry.error().is(ErrorCode::corrupt)) << "at " << at << describe(entry.error());
    }
  }
}

TEST(Entry, any_missing_end_before_the_inline_section_is_noticed) {
  SharedBytes good = some_entry();
  for (std::size_t size = 0; size < good.size() - 100; ++size)
    EXPECT_FALSE(decode_entry(good.slice(0, size)).has_value()) << size;
}

TEST(Entry, of_a_later_format_is_unsupported) {
  for (std::size_t at : {8u, 14u, 16u, 20u}) {  // format, flags, shard, key id
    SharedBytes bytes = SharedBytes::copy_of(some_entry().view());
    bytes.mutable_view()[at] ^= std::byte{2};
    fix_header_crc(bytes.mutable_view());
    EXPECT_TRUE(decode_entry(bytes).error().is(ErrorCode::unsupported)) << at;
  }
}

TEST(Entry, with_intact_nonsense_as_commands_is_malformed_and_not_an_error) {
  // A well-formed entry whose commands section claims one group more than there is.
  std::vector<CommandGroup> groups = some_groups();
  SharedBytes bytes =
      SharedBytes::copy_of(encode_entry(some_header(), groups, {}).flatten().view());
  std::size_t commands = 108 + 16 + 4;
  bytes.mutable_view()[commands] = std::byte{3};
  std::uint32_t crc = codec::crc32c(bytes.view().subspan(commands));
  std::memcpy(bytes.mutable_view().subspan(108 + 12).data(), &crc, 4);
  fix_header_crc(bytes.mutable_view());
  Result<EntryView> entry = decode_entry(bytes);
  ASSERT_TRUE(entry.has_value());
  EXPECT_TRUE(entry->malformed);
  EXPECT_TRUE(entry->groups.empty());
}

TEST(Entry, random_bytes_never_crash) {
  std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  for (int i = 0; i < 2'000; ++i) {
    SharedBytes bytes = SharedBytes::copy_of(some_entry().view());
    for (int flips = 0; flips < 8; ++flips)
      bytes.mutable_view()[random() % 200] = static_cast<std::byte>(random());
    std::memcpy(bytes.mutable_view().data(), "WEIRLOG1", 8);
    bytes.mutable_view()[8] = std::byte{1};
    bytes.mutable_view()[9] = std::byte{0};
    bytes.mutable_view()[10] = std::byte{144};
    bytes.mutable_view()[11] = std::byte{0};
    fix_header_crc(bytes.mutable_view());
    (void)decode_entry(bytes);
  }
}

}  // namespace
}  // namespace weir::state
