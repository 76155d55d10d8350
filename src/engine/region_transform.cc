#include "engine/region_transform.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/narrow.h"
#include "codec/codec.h"
#include "record/batch_view.h"

namespace weir::engine {

namespace {

/// Fast: a core compresses some hundred megabytes a second.
constexpr int kLevel = 1;
constexpr std::size_t kRegionBytesMin = 512;
/// At least this part of a region must be saved.
constexpr std::size_t kSavedPart = 8;
/// RFC 8878, 3.1.2: a frame that readers skip: magic number, length (both little-endian), content.
constexpr std::size_t kSkippableHead = 8;
constexpr std::array<unsigned char, 4> kSkippableMagic = {0x50, 0x2A, 0x4D, 0x18};

bool came_uncompressed(Bytes region) {
  record::BatchIterator batches(region);
  for (;;) {
    auto next = batches.next();
    if (!next) return false;
    if (!*next) return true;
    if ((*next)->codec() != codec::Codec::none) return false;
  }
}

/// `frame` and a skippable one behind it, `size` bytes together or a few more.
SharedBytes fill_up(Bytes frame, std::size_t size) {
  size = std::max(size, frame.size() + kSkippableHead);
  Buffer out = Buffer::make(size);
  MutableBytes into = out.data();
  std::memset(into.data(), 0, into.size());
  std::memcpy(into.data(), frame.data(), frame.size());
  MutableBytes skipped = into.subspan(frame.size());
  std::memcpy(skipped.data(), kSkippableMagic.data(), kSkippableMagic.size());
  auto length = narrow<std::uint32_t>(skipped.size() - kSkippableHead);
  for (std::size_t i = 0; i < 4; ++i)
    skipped[4 + i] = static_cast<std::byte>(length >> (8 * i) & 0xff);
  return out;
}

std::unexpected<Error> corrupt(const char* what) {
  return fail(ErrorCode::corrupt, std::string("compressed region: ") + what);
}

}  // namespace

std::optional<SharedBytes> compress_region(const BytesChain& raw) {
  if (raw.size() < kRegionBytesMin || raw.size() > state::kSegmentBytesMax) return std::nullopt;
  SharedBytes whole = raw.flatten();
  if (!came_uncompressed(whole.view())) return std::nullopt;
  auto frame = codec::compress(codec::Codec::zstd, whole.view(), kLevel);
  // What cannot be compressed is stored as it is.
  if (!frame || frame->size() > whole.size() - whole.size() / kSavedPart) return std::nullopt;
  std::size_t least = (whole.size() + kTransformRatioMax - 1) / kTransformRatioMax;
  if (frame->size() >= least) return SharedBytes(std::move(*frame));
  return fill_up(frame->data(), least);
}

Result<SharedBytes> restore_region(SharedBytes stored, RegionTransform transform,
                                   std::uint32_t raw_bytes) {
  if (transform == RegionTransform::none) return stored;
  if (transform != RegionTransform::zstd)
    return fail(ErrorCode::unsupported,
                "the region is stored in a form of a later program; start a newer one");
  if (raw_bytes > std::uint64_t{kTransformRatioMax} * stored.size())
    return corrupt("it claims to be larger than it can be");
  auto raw = codec::decompress(codec::Codec::zstd, stored.view(), raw_bytes);
  if (!raw && raw.error().is(ErrorCode::too_large)) return corrupt("it is longer than it claims");
  if (!raw) return with_context({ErrorCode::corrupt, raw.error().message}, "compressed region");
  if (raw->size() != raw_bytes) return corrupt("it is shorter than it claims");
  return SharedBytes(std::move(*raw));
}

}  // namespace weir::engine
