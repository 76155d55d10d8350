// Batches for the tests of this layer: built ones, and those that Apache Kafka wrote (testdata/).
#pragma once

#include <cctype>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "codec/crc32c.h"
#include "record/builder.h"

namespace weir::record::test {

inline constexpr std::int64_t kT0 = 1'700'000'000'000;

inline std::vector<std::byte> copy(Bytes bytes) { return {bytes.begin(), bytes.end()}; }

/// A case of tests/record/java/GoldenBatches.java; empty if the file is missing.
inline std::vector<std::byte> golden(std::string_view name) {
  std::ifstream file(std::filesystem::path(WEIR_RECORD_TESTDATA) / (std::string(name) + ".hex"));
  std::string digits;
  for (char c; file.get(c);)
    if (std::isxdigit(static_cast<unsigned char>(c))) digits.push_back(c);
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2)
    bytes.push_back(static_cast<std::byte>(std::stoi(digits.substr(i, 2), nullptr, 16)));
  return bytes;
}

inline std::vector<std::byte> finished(BatchBuilder builder) {
  auto batch = std::move(builder).finish();
  ENSURE(batch.has_value());
  return copy(batch->data());
}

/// `mixed`, `large`, `simple`: as the methods of the Java program.
inline std::vector<std::byte> mixed(codec::Codec codec) {
  BatchBuilder builder({.leader_epoch = LeaderEpoch(7),
                        .codec = codec,
                        .producer_id = ProducerId(4711),
                        .producer_epoch = ProducerEpoch(3),
                        .base_sequence = 17});
  for (int i = 0; i < 20; ++i) {
    std::string key = "key-" + std::to_string(i), value, header_value = "v" + std::to_string(i);
    for (int j = 0; j < i; ++j) value += "value ";
    std::vector<NewHeader> headers;
    if (i % 3 >= 1) headers.push_back({"h0", as_bytes(header_value)});
    if (i % 3 == 2) headers.push_back({"h1", std::nullopt});
    NewRecord record{.timestamp = WallMillis(kT0 + (i % 7) * 1000 - (i == 3 ? 50'000 : 0)),
                     .headers = headers};
    if (i % 4 != 0) record.key = i % 4 == 1 ? Bytes() : as_bytes(key);
    if (i % 5 != 0) record.value = i % 5 == 1 ? Bytes() : as_bytes(value);
    builder.append(record);
  }
  return finished(std::move(builder));
}

inline std::vector<std::byte> large(codec::Codec codec) {
  BatchBuilder builder({.leader_epoch = LeaderEpoch(7), .codec = codec});
  std::string value;
  for (int i = 0; i < 64; ++i) value += "0123456789abcdef";
  for (int i = 0; i < 100; ++i) {
    std::string key = "k" + std::to_string(i);
    builder.append(
        {.timestamp = WallMillis(kT0 + i), .key = as_bytes(key), .value = as_bytes(value)});
  }
  return finished(std::move(builder));
}

inline std::vector<std::byte> simple(BatchOptions options = {}) {
  BatchBuilder builder(options);
  builder.append({.timestamp = WallMillis(kT0), .key = as_bytes("k"), .value = as_bytes("v")});
  builder.append({.timestamp = WallMillis(kT0 + 5), .key = as_bytes("k")});
  return finished(std::move(builder));
}

/// A batch with this records section, whatever it is, and a good checksum.
struct RawBatch {
  std::vector<std::byte> records;
  std::int32_t count = 1;
  std::uint16_t attributes = 0;
};

inline void fix_checksum(std::vector<std::byte>& batch) {
  store_be<std::uint32_t>(batch, at::crc, codec::crc32c(Bytes(batch).subspan(at::attributes)));
}

inline std::vector<std::byte> raw_batch(const RawBatch& raw) {
  std::vector<std::byte> batch = finished(BatchBuilder({}));
  batch.insert(batch.end(), raw.records.begin(), raw.records.end());
  store_be<std::int32_t>(batch, at::batch_length,
                         static_cast<std::int32_t>(batch.size() - batch_prefix_bytes));
  store_be<std::uint16_t>(batch, at::attributes, raw.attributes);
  store_be<std::int32_t>(batch, at::last_offset_delta, raw.count - 1);
  store_be<std::int32_t>(batch, at::record_count, raw.count);
  store_be<std::int64_t>(batch, at::base_timestamp, kT0);
  store_be<std::int64_t>(batch, at::max_timestamp, kT0);
  fix_checksum(batch);
  return batch;
}

inline std::vector<std::byte> bytes_of(std::initializer_list<int> values) {
  std::vector<std::byte> bytes;
  for (int value : values) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

}  // namespace weir::record::test
