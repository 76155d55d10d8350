// Big-endian integers in byte strings, as Kafka's protocol and formats have them.
//
// Access outside the view is a bug: whoever reads a peer's bytes checks the length first.
#pragma once

#include <bit>
#include <concepts>
#include <cstring>

#include "base/bytes.h"

namespace weir {

template <std::integral T>
T load_be(Bytes bytes, std::size_t at) {
  ENSURE(at <= bytes.size() && sizeof(T) <= bytes.size() - at);
  T value;
  std::memcpy(&value, bytes.subspan(at).data(), sizeof(T));
  return std::endian::native == std::endian::little ? std::byteswap(value) : value;
}

template <std::integral T>
void store_be(MutableBytes bytes, std::size_t at, T value) {
  ENSURE(at <= bytes.size() && sizeof(T) <= bytes.size() - at);
  if (std::endian::native == std::endian::little) value = std::byteswap(value);
  std::memcpy(bytes.subspan(at).data(), &value, sizeof(T));
}

}  // namespace weir
