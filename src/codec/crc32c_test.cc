#include "codec/crc32c.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace weir::codec {
namespace {

// RFC 3720, appendix B.4, and the usual check value.
TEST(Crc32c, MatchesThePublishedVectors) {
  EXPECT_EQ(crc32c(Bytes()), 0u);
  EXPECT_EQ(crc32c(as_bytes("123456789")), 0xe3069283u);
  EXPECT_EQ(crc32c(as_bytes(std::string(32, '\0'))), 0x8a9136aau);
  EXPECT_EQ(crc32c(as_bytes(std::string(32, '\xff'))), 0x62a8ab43u);
}

TEST(Crc32c, ContinuesAndCombinesOverAnyCut) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  std::vector<std::byte> bytes(5000);
  for (std::byte& b : bytes) b = static_cast<std::byte>(random());
  Bytes all(bytes);
  const std::uint32_t whole = crc32c(all);
  for (int round = 0; round < 200; ++round) {
    std::size_t cut = random() % (all.size() + 1);
    std::uint32_t first = crc32c(all.first(cut));
    std::uint32_t second = crc32c(all.subspan(cut));
    EXPECT_EQ(crc32c(all.subspan(cut), first), whole) << cut;
    EXPECT_EQ(crc32c_combine(first, second, all.size() - cut), whole) << cut;
  }
}

TEST(Crc32c, OfAChainIsThatOfItsBytes) {
  BytesChain chain;
  EXPECT_EQ(crc32c(chain), 0u);
  chain.append(SharedBytes::copy_of(as_bytes("1234")));
  chain.append(SharedBytes::copy_of(as_bytes("56789")));
  EXPECT_EQ(crc32c(chain), 0xe3069283u);
}

}  // namespace
}  // namespace weir::codec
