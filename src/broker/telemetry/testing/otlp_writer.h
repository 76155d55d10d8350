// Writes the OTLP messages that tests push, one field at a time.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

namespace weir::broker::telemetry::testing {

inline std::string varint(std::uint64_t value) {
  std::string out;
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<char>(value | 0x80));
  out.push_back(static_cast<char>(value));
  return out;
}
inline std::string varint_field(std::uint32_t number, std::uint64_t value) {
  return varint(std::uint64_t{number} << 3) + varint(value);
}
inline std::string bytes_field(std::uint32_t number, std::string_view content) {
  return varint(std::uint64_t{number} << 3 | 2) + varint(content.size()) + std::string(content);
}
inline std::string double_field(std::uint32_t number, double value) {
  std::string out = varint(std::uint64_t{number} << 3 | 1);
  const auto bits = std::bit_cast<std::uint64_t>(value);
  for (int i = 0; i < 8; ++i) out.push_back(static_cast<char>(bits >> (8 * i)));
  return out;
}

/// An attribute of a number.
inline std::string attribute(std::string_view key, std::string_view value) {
  return bytes_field(7, bytes_field(1, key) + bytes_field(2, bytes_field(1, value)));
}
/// A gauge with one number.
inline std::string metric(std::string_view name, double value, std::string_view attributes = "") {
  const std::string number = double_field(4, value) + std::string(attributes);
  return bytes_field(2, bytes_field(1, name) + bytes_field(5, bytes_field(1, number)));
}
inline std::string sum(std::string_view name, double value, bool delta) {
  const std::string body =
      bytes_field(1, double_field(4, value)) + varint_field(2, delta ? 1 : 2) + varint_field(3, 1);
  return bytes_field(2, bytes_field(1, name) + bytes_field(7, body));
}
/// The whole message around `metrics`.
inline std::string metrics_data(std::string_view metrics) {
  return bytes_field(1, bytes_field(1, "") + bytes_field(2, metrics));
}

}  // namespace weir::broker::telemetry::testing
