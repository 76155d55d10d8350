#include "objstore/etag.h"

#include <gtest/gtest.h>

#include <set>

#include "rt/random.h"

namespace weir::objstore {
namespace {

std::string random_text(std::size_t size, rt::Random& random) {
  std::string text(size, '\0');
  for (char& c : text) c = static_cast<char>(random.below(256));
  return text;
}

TEST(Etag, is_the_same_however_the_bytes_are_cut) {
  rt::SeededRandom random(1);
  std::string text = random_text(200'000, random);
  std::string whole = etag_of(as_bytes(text));
  for (int round = 0; round < 20; ++round) {
    EtagHasher hasher;
    for (std::size_t at = 0; at < text.size();) {
      std::size_t size = std::min<std::size_t>(text.size() - at, 1 + random.below(90'000));
      hasher.add(as_bytes(text).subspan(at, size));
      at += size;
    }
    EXPECT_EQ(hasher.finish(), whole);
  }
}

TEST(Etag, tells_every_single_bit_and_length_apart) {
  rt::SeededRandom random(2);
  std::string text = random_text(300, random);
  std::set<std::string> seen{etag_of(as_bytes(text))};
  for (std::size_t bit = 0; bit < text.size() * 8; ++bit) {
    std::string other = text;
    other[bit / 8] = static_cast<char>(other[bit / 8] ^ (1 << bit % 8));
    EXPECT_TRUE(seen.insert(etag_of(as_bytes(other))).second) << "bit " << bit;
  }
  for (std::size_t size = 0; size < text.size(); ++size)
    EXPECT_TRUE(seen.insert(etag_of(as_bytes(text).first(size))).second) << "size " << size;
}

TEST(Etag, tells_the_order_of_words_and_blocks_apart) {
  rt::SeededRandom random(3);
  std::string text = random_text(std::size_t{3} << 16, random);
  std::set<std::string> seen{etag_of(as_bytes(text))};
  for (std::size_t unit : {8u, 16u, 32u, 65'536u}) {
    std::string other = text;
    std::swap_ranges(other.begin(), other.begin() + static_cast<std::ptrdiff_t>(unit),
                     other.begin() + static_cast<std::ptrdiff_t>(unit));
    EXPECT_TRUE(seen.insert(etag_of(as_bytes(other))).second) << "unit " << unit;
  }
  std::string zeros(std::size_t{3} << 16, '\0');
  for (std::size_t size = 0; size <= zeros.size(); size += 4'096)
    EXPECT_TRUE(seen.insert(etag_of(as_bytes(zeros).first(size))).second) << "zeros " << size;
}

}  // namespace
}  // namespace weir::objstore
