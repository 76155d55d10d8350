// The ids of the design's vocabulary (docs: "Vocabulary"), one type each.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/strong.h"

namespace weir {

/// 128 bits, compared and printed as bytes. Base of the id types below.
template <class Tag>
struct Id128 {
  std::array<std::uint8_t, 16> bytes{};

  friend auto operator<=>(const Id128&, const Id128&) = default;
  bool is_nil() const { return *this == Id128{}; }
  Bytes view() const { return std::as_bytes(std::span(bytes)); }
  /// 32 lower-case hexadecimal digits.
  std::string hex() const { return to_hex(view()); }
  static std::optional<Id128> from_hex(std::string_view text) {
    if (text.size() != 32) return std::nullopt;
    Id128 id;
    for (std::size_t i = 0; i < 32; ++i) {
      char c = text[i];
      int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
      if (digit < 0) return std::nullopt;
      id.bytes[i / 2] = static_cast<std::uint8_t>(id.bytes[i / 2] << 4 | digit);
    }
    return id;
  }
  /// 16 bytes; shorter or longer input is a bug.
  static Id128 from_bytes(Bytes view) {
    ENSURE(view.size() == 16);
    Id128 id;
    std::memcpy(id.bytes.data(), view.data(), 16);
    return id;
  }
  std::uint64_t low64() const {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + 8, 8);
    return word;
  }
};

/// One broker process.
using Incarnation = Id128<struct IncarnationTag>;
/// One attempt to write an entry: names one byte string.
using Nonce = Id128<struct NonceTag>;
/// Kafka's topic id (KIP-516); never reused.
using TopicId = Id128<struct TopicIdTag>;

/// Any other UUID of the Kafka protocol (directory ids, member ids in new APIs).
using Uuid = TopicId;

/// Place of an entry in the commit log: dense, from 0 (genesis).
using Position = Strong<struct PositionTag, std::uint64_t>;
/// Place of a record in a partition: dense, from 0. Signed as on the wire; -1 means none.
using Offset = Strong<struct OffsetTag, std::int64_t>;
/// Number of a partition within its topic, from 0.
using PartitionIndex = Strong<struct PartitionIndexTag, std::int32_t>;
/// A broker as clients see it, from 1.
using NodeId = Strong<struct NodeIdTag, std::int32_t>;
/// Kafka's producer id; -1 means none.
using ProducerId = Strong<struct ProducerIdTag, std::int64_t>;
using ProducerEpoch = Strong<struct ProducerEpochTag, std::int16_t>;
/// The placement epoch, used as the leader epoch in every answer.
using LeaderEpoch = Strong<struct LeaderEpochTag, std::int32_t>;
/// Number of a command of one incarnation, from 1 (registration).
using CommandCounter = Strong<struct CommandCounterTag, std::uint64_t>;
/// Level of the formats and of the fold that a cluster has agreed on.
using FeatureLevel = Strong<struct FeatureLevelTag, std::uint16_t>;

}  // namespace weir

template <class Tag>
struct std::hash<weir::Id128<Tag>> {
  std::size_t operator()(const weir::Id128<Tag>& id) const noexcept { return id.low64(); }
};
