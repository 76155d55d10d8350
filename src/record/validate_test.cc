#include "record/validate.h"

#include <gtest/gtest.h>

#include <functional>

#include "record/test_batches.h"

namespace weir::record {
namespace {

using codec::Codec;

const BatchRules kRules{.timestamps = {.now = WallMillis(test::kT0)}};

// What validation says about a batch with one field changed and the checksum made good.
std::string_view verdict(const std::function<void(std::vector<std::byte>&)>& change,
                         const BatchRules& rules = kRules) {
  auto bytes = test::mixed(Codec::zstd);
  change(bytes);
  test::fix_checksum(bytes);
  auto info = validate_batch(bytes, rules);
  return info ? "accepted" : describe(info.error());
}

template <class T>
std::string_view with(std::size_t field, T value, const BatchRules& rules = kRules) {
  return verdict([&](auto& bytes) { store_be<T>(bytes, field, value); }, rules);
}

std::string_view with_attributes(unsigned set, const BatchRules& rules = kRules) {
  return with<std::uint16_t>(at::attributes, static_cast<std::uint16_t>(set), rules);
}

TEST(ValidateBatch, AcceptsWhatAClientSends) {
  EXPECT_EQ(verdict([](auto&) {}), "accepted");
  auto bytes = test::simple();
  auto info = validate_batch(bytes, kRules);
  ASSERT_TRUE(info.has_value());
  EXPECT_EQ(info->bytes, bytes.size());
  EXPECT_EQ(info->records, 2);
  EXPECT_FALSE(info->idempotent());
  EXPECT_FALSE(info->transactional);
}

TEST(ValidateBatch, WantsExactlyOneBatch) {
  auto bytes = test::simple();
  EXPECT_EQ(validate_batch(Bytes(), kRules).error(), BatchError::empty);
  auto two = bytes;
  two.insert(two.end(), bytes.begin(), bytes.end());
  EXPECT_EQ(validate_batch(two, kRules).error(), BatchError::trailing_bytes);
  bytes.push_back(std::byte{0});
  EXPECT_EQ(validate_batch(bytes, kRules).error(), BatchError::trailing_bytes);
}

TEST(ValidateBatch, PlainRecordsAreNotMoreThanFit) {
  const std::vector<std::byte> room(3 * record_bytes_min + 1);
  EXPECT_TRUE(validate_batch(test::raw_batch({.records = room, .count = 3}), kRules).has_value());
  for (std::int32_t count : {4, 2'147'483'647})
    EXPECT_EQ(validate_batch(test::raw_batch({.records = room, .count = count}), kRules).error(),
              BatchError::bad_count);
}

TEST(ValidateBatch, MeasuresTheWholeBatch) {
  auto bytes = test::simple();
  BatchRules rules = kRules;
  rules.batch_bytes_max = bytes.size();
  EXPECT_TRUE(validate_batch(bytes, rules).has_value());
  rules.batch_bytes_max -= 1;
  EXPECT_EQ(validate_batch(bytes, rules).error(), BatchError::batch_too_large);
}

TEST(ValidateBatch, NoFlippedBitIsAccepted) {
  const auto original = test::mixed(Codec::gzip);
  for (std::size_t bit = 0; bit < original.size() * 8; ++bit) {
    // Base offset and leader epoch are the broker's, and outside the checksum.
    if (bit / 8 < at::batch_length) continue;
    if (bit / 8 >= at::leader_epoch && bit / 8 < at::magic) continue;
    auto bytes = original;
    bytes[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
    EXPECT_FALSE(validate_batch(bytes, kRules).has_value()) << "bit " << bit;
  }
}

TEST(ValidateBatch, EveryTruncationIsRefused) {
  const auto bytes = test::mixed(Codec::snappy);
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(validate_batch(Bytes(bytes).first(size), kRules).has_value());
}

TEST(ValidateBatch, ChecksTheCountAgainstTheOffsets) {
  auto refused = describe(BatchError::bad_count);
  EXPECT_EQ(with<std::int32_t>(at::record_count, 19), refused);
  EXPECT_EQ(with<std::int32_t>(at::last_offset_delta, 20), refused);
  auto both = [](std::int32_t count, std::int32_t delta) {
    return verdict([=](auto& bytes) {
      store_be<std::int32_t>(bytes, at::record_count, count);
      store_be<std::int32_t>(bytes, at::last_offset_delta, delta);
    });
  };
  EXPECT_EQ(both(0, -1), refused);
  EXPECT_EQ(both(-1, -2), refused);
  EXPECT_EQ(both(std::numeric_limits<std::int32_t>::min(), 2147483647), refused);
  // Whatever base offset a client sends: the fold decides it.
  EXPECT_EQ(with<std::int64_t>(at::base_offset, 1), "accepted");
}

TEST(ValidateBatch, ChecksTheAttributes) {
  for (unsigned codec : {5u, 6u, 7u})
    EXPECT_EQ(with_attributes(codec), describe(BatchError::unknown_codec));
  EXPECT_EQ(with_attributes(attribute::control), describe(BatchError::control_batch));
  EXPECT_EQ(with_attributes(attribute::delete_horizon), describe(BatchError::bad_attributes));
  EXPECT_EQ(with_attributes(attribute::log_append_time), describe(BatchError::bad_timestamp));
  EXPECT_EQ(with_attributes(attribute::transactional), "accepted");
  BatchRules old = kRules;
  old.zstd_allowed = false;
  EXPECT_EQ(with_attributes(4, old), describe(BatchError::codec_not_allowed));
  EXPECT_EQ(with_attributes(3, old), "accepted");
}

TEST(ValidateBatch, ChecksTheProducerFieldsTogether) {
  auto refused = describe(BatchError::bad_producer);
  EXPECT_EQ(with<std::int32_t>(at::base_sequence, -1), refused);
  EXPECT_EQ(with<std::int16_t>(at::producer_epoch, -1), refused);
  EXPECT_EQ(with<std::int32_t>(at::base_sequence, 2147483647), "accepted");
  // Without a producer id nobody looks at the sequence, but there is no transaction.
  EXPECT_EQ(with<std::int64_t>(at::producer_id, -1), "accepted");
  EXPECT_EQ(verdict([](auto& bytes) {
              store_be<std::int64_t>(bytes, at::producer_id, -1);
              store_be<std::uint16_t>(bytes, at::attributes, attribute::transactional);
            }),
            refused);
}

TEST(ValidateBatch, ChecksTheTimestampWindow) {
  auto refused = describe(BatchError::bad_timestamp);
  BatchRules rules{.timestamps = {.now = WallMillis(test::kT0 + 6000),
                                  .before_max_ms = 6000,
                                  .after_max_ms = 10}};
  EXPECT_EQ(with<std::int64_t>(at::max_timestamp, test::kT0 + 6010, rules), "accepted");
  EXPECT_EQ(with<std::int64_t>(at::max_timestamp, test::kT0 + 6011, rules), refused);
  EXPECT_EQ(with<std::int64_t>(at::base_timestamp, test::kT0 - 1, rules), refused);
  EXPECT_EQ(with<std::int64_t>(at::base_timestamp, -1, rules), "accepted");
  EXPECT_EQ(with<std::int64_t>(at::base_timestamp, -2, rules), refused);
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(with<std::int64_t>(at::max_timestamp, kMost, rules), refused);
  rules.timestamps.after_max_ms = kMost;
  EXPECT_EQ(with<std::int64_t>(at::max_timestamp, kMost, rules), "accepted");
}

TEST(ValidateBatch, TheWindowDoesNotApplyWhereTheBrokerSetsTheTime) {
  BatchRules rules{.timestamps = {.type = TimestampType::log_append_time,
                                  .now = WallMillis(0),
                                  .before_max_ms = 0,
                                  .after_max_ms = 0}};
  EXPECT_EQ(verdict([](auto&) {}, rules), "accepted");
}

TEST(ValidateBatch, TheMaxTimestampIsNeverBelowTheBase) {
  auto bytes = test::simple();
  store_be<std::int64_t>(bytes, at::max_timestamp, test::kT0 - 100);
  test::fix_checksum(bytes);
  EXPECT_EQ(validate_batch(bytes, kRules)->max_timestamp_ms, test::kT0);
}

}  // namespace
}  // namespace weir::record
