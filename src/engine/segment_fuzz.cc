// Any bytes as a segment: decoding answers, and what it accepts describes regions inside the bytes.
// The checksums of header and footer are made right first, so that the parser behind them is
// reached.
#include <vector>

#include "base/endian.h"
#include "codec/crc32c.h"
#include "engine/segment.h"

namespace {

using weir::Bytes;

void make_checksums_right(std::vector<std::byte>& bytes) {
  using weir::engine::kSegmentHeaderBytes;
  using weir::engine::kSegmentTrailerBytes;
  if (bytes.size() < kSegmentHeaderBytes + kSegmentTrailerBytes) return;
  weir::store_be<std::uint32_t>(bytes, kSegmentHeaderBytes - 4,
                                weir::codec::crc32c(Bytes(bytes).first(kSegmentHeaderBytes - 4)));
  std::size_t trailer = bytes.size() - kSegmentTrailerBytes;
  std::size_t footer = weir::load_be<std::uint32_t>(bytes, trailer);
  if (footer > trailer - kSegmentHeaderBytes) return;
  weir::store_be<std::uint32_t>(
      bytes, trailer + 4, weir::codec::crc32c(Bytes(bytes).subspan(trailer - footer, footer)));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Bytes input = std::as_bytes(std::span(data, size));
  std::vector<std::byte> bytes(input.begin(), input.end());
  make_checksums_right(bytes);
  auto view = weir::engine::decode_segment(bytes);
  if (!view) return 0;
  for (const weir::engine::SegmentRegion& region : view->regions) {
    ENSURE(region.first_byte + region.stored_bytes <= bytes.size());
    (void)weir::engine::check_region(bytes, region);
  }
  return 0;
}
