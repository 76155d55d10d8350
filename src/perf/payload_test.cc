#include "perf/payload.h"

#include <gtest/gtest.h>

#include <map>

#include "codec/codec.h"

namespace weir::perf {
namespace {

double zstd_ratio(Payload& payload) {
  std::vector<std::byte> records;
  while (records.size() < 256u << 10) {
    Bytes value = payload.value();
    records.insert(records.end(), value.begin(), value.end());
  }
  auto packed = codec::compress(codec::Codec::zstd, records);
  EXPECT_TRUE(packed);
  return static_cast<double>(records.size()) / static_cast<double>(packed->size());
}

TEST(Payload, TextCompressesAsLogsDoAndRandomBytesDoNot) {
  for (std::size_t size : {100u, 1024u}) {
    Payload text({.value_bytes = size}, 1);
    const double ratio = zstd_ratio(text);
    EXPECT_GT(ratio, 1.8) << size;
    EXPECT_LT(ratio, 5.0) << size;
  }
  Payload random({.random_bytes = true}, 1);
  EXPECT_LT(zstd_ratio(random), 1.01);
}

TEST(Payload, EqualSeedsGiveEqualBytes) {
  Payload one({.keys = KeyKind::zipf}, 5), two({.keys = KeyKind::zipf}, 5), three({}, 6);
  for (int i = 0; i < 10; ++i) {
    Bytes a = one.value(), b = two.value();
    EXPECT_EQ(a.size(), 1024u);
    EXPECT_EQ(as_text(a), as_text(b));
    EXPECT_EQ(std::string(*one.key()), std::string(*two.key()));
    EXPECT_NE(as_text(a), as_text(three.value()));
  }
}

TEST(Payload, KeysFollowTheirDistribution) {
  std::map<std::string, int> uniform, zipf;
  Payload even({.value_bytes = 1, .keys = KeyKind::uniform, .key_count = 100}, 1);
  Payload uneven({.value_bytes = 1, .keys = KeyKind::zipf, .key_count = 100}, 1);
  for (int i = 0; i < 10'000; ++i) {
    ++uniform[std::string(*even.key())];
    ++zipf[std::string(*uneven.key())];
  }
  EXPECT_EQ(uniform.size(), 100u);
  EXPECT_LT(uniform["key-0"], 200);
  // One in 5.19, the hundredth harmonic number.
  EXPECT_NEAR(zipf["key-0"], 1927, 200);
  EXPECT_NEAR(zipf["key-1"], 963, 150);
  EXPECT_FALSE(Payload({.value_bytes = 1}, 1).key());
}

}  // namespace
}  // namespace weir::perf
