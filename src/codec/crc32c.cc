#include "codec/crc32c.h"

#include <isa-l/crc.h>

#include <algorithm>

#include "base/narrow.h"

namespace weir::codec {
namespace {

// The polynomial in the bit order of the checksum: bit 31 is the coefficient of x^0.
constexpr std::uint32_t kPolynomial = 0x82f63b78u;
constexpr std::uint32_t kOne = 0x80000000u;
// ISA-L counts in int.
constexpr std::size_t kPieceMax = std::size_t{1} << 30;

// Product of two polynomials modulo the CRC's.
constexpr std::uint32_t multiply(std::uint32_t a, std::uint32_t b) {
  std::uint32_t product = 0;
  for (std::uint32_t bit = kOne; bit != 0; bit >>= 1) {
    if (a & bit) product ^= b;
    b = (b & 1) ? (b >> 1) ^ kPolynomial : b >> 1;
  }
  return product;
}

// x^(8 * bytes) modulo the CRC's polynomial: what appending that many zero bytes multiplies by.
constexpr std::uint32_t shift_of(std::uint64_t bytes) {
  std::uint32_t result = kOne;
  std::uint32_t power = kOne >> 8;
  for (; bytes != 0; bytes >>= 1) {
    if (bytes & 1) result = multiply(result, power);
    power = multiply(power, power);
  }
  return result;
}

}  // namespace

std::uint32_t crc32c(Bytes bytes, std::uint32_t previous) {
  std::uint32_t state = ~previous;
  while (!bytes.empty()) {
    Bytes piece = bytes.first(std::min(bytes.size(), kPieceMax));
    // ISA-L's parameter is not const, but it only reads.
    auto* data = reinterpret_cast<unsigned char*>(const_cast<std::byte*>(piece.data()));
    state = crc32_iscsi(data, narrow<int>(piece.size()), state);
    bytes = bytes.subspan(piece.size());
  }
  return ~state;
}

std::uint32_t crc32c(const BytesChain& chain, std::uint32_t previous) {
  for (const SharedBytes& part : chain.parts()) previous = crc32c(part.view(), previous);
  return previous;
}

std::uint32_t crc32c_combine(std::uint32_t crc_a, std::uint32_t crc_b, std::uint64_t size_b) {
  return multiply(shift_of(size_b), crc_a) ^ crc_b;
}

}  // namespace weir::codec
