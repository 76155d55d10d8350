#include "codec/crc32c.h"

#include <isa-l/crc.h>

#include <algorithm>
#include <array>
#include <bit>

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

// x^(8 * 2^k) modulo the CRC's polynomial, for each bit k of a length.
constexpr std::array<std::uint32_t, 64> kShiftOfBit = [] {
  std::array<std::uint32_t, 64> shifts{};
  std::uint32_t power = kOne >> 8;
  for (std::uint32_t& shift : shifts) {
    shift = power;
    power = multiply(power, power);
  }
  return shifts;
}();

// `crc` times x^(8 * bytes): what appending that many zero bytes makes of it.
std::uint32_t shifted(std::uint32_t crc, std::uint64_t bytes) {
  for (; bytes != 0; bytes &= bytes - 1)
    crc = multiply(kShiftOfBit[static_cast<std::size_t>(std::countr_zero(bytes))], crc);
  return crc;
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
  return shifted(crc_a, size_b) ^ crc_b;
}

}  // namespace weir::codec
