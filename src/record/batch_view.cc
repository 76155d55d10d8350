#include "record/batch_view.h"

#include "base/narrow.h"
#include "codec/crc32c.h"

namespace weir::record {

Checked<BatchView> BatchView::front_of(Bytes bytes) {
  if (bytes.empty()) return std::unexpected(BatchError::empty);
  // The magic byte stands at one place in all formats; what older ones mean by "length" differs.
  if (bytes.size() <= at::magic) return std::unexpected(BatchError::cut_off);
  if (load_be<std::int8_t>(bytes, at::magic) != magic_v2)
    return std::unexpected(BatchError::bad_magic);
  auto length = load_be<std::int32_t>(bytes, at::batch_length);
  if (length < narrow<std::int32_t>(batch_header_bytes - batch_prefix_bytes))
    return std::unexpected(BatchError::bad_length);
  std::size_t size = narrow<std::size_t>(length) + batch_prefix_bytes;
  if (size > bytes.size()) return std::unexpected(BatchError::cut_off);
  return BatchView(bytes.first(size));
}

Offset BatchView::last_offset() const {
  // A hostile header may make the sum overflow; unsigned arithmetic gives it a harmless meaning.
  auto base = static_cast<std::uint64_t>(base_offset().value);
  auto delta = static_cast<std::uint64_t>(std::int64_t{last_offset_delta()});
  return Offset(static_cast<std::int64_t>(base + delta));
}

bool BatchView::checksum_ok() const {
  return codec::crc32c(bytes_.subspan(at::attributes)) == crc();
}

std::uint32_t BatchView::checksum_after(std::uint32_t previous) const {
  // Below this length reading is cheaper than the arithmetic of combining.
  constexpr std::size_t kCombineFrom = std::size_t{16} << 10;
  if (size() < kCombineFrom) return codec::crc32c(bytes_, previous);
  std::uint32_t front = codec::crc32c(bytes_.first(at::attributes), previous);
  return codec::crc32c_combine(front, crc(), size() - at::attributes);
}

Checked<std::optional<BatchView>> BatchIterator::next() {
  Bytes rest = region_.subspan(position_);
  if (rest.empty()) return std::nullopt;
  auto batch = BatchView::front_of(rest);
  if (!batch) return std::unexpected(batch.error());
  position_ += batch->size();
  return *batch;
}

}  // namespace weir::record
