#include "record/batch_edit.h"

#include <cstring>

#include "base/narrow.h"
#include "codec/crc32c.h"

namespace weir::record {
namespace {

void set_checksum(MutableBytes batch) {
  store_be<std::uint32_t>(batch, at::crc, codec::crc32c(Bytes(batch).subspan(at::attributes)));
}

}  // namespace

void stamp_batch(MutableBytes batch, const Stamp& stamp) {
  ENSURE(batch.size() >= batch_header_bytes);
  store_be<std::int64_t>(batch, at::base_offset, stamp.base_offset.value);
  store_be<std::int32_t>(batch, at::leader_epoch, stamp.leader_epoch.value);
}

Checked<Offset> stamp_region(MutableBytes region, const Stamp& first) {
  BatchIterator batches(region);
  Offset next = first.base_offset;
  while (true) {
    std::size_t position = batches.position();
    auto batch = batches.next();
    if (!batch) return std::unexpected(batch.error());
    if (!*batch) return next;
    Offset after;
    if ((*batch)->last_offset_delta() < 0 ||
        __builtin_add_overflow(next.value, std::int64_t{(*batch)->last_offset_delta()} + 1,
                               &after.value))
      return std::unexpected(BatchError::bad_count);
    stamp_batch(region.subspan(position), {next, first.leader_epoch});
    next = after;
  }
}

void set_log_append_time(MutableBytes batch, WallMillis now) {
  ENSURE(batch.size() >= batch_header_bytes);
  auto attributes = load_be<std::uint16_t>(batch, at::attributes);
  store_be<std::uint16_t>(batch, at::attributes, attributes | attribute::log_append_time);
  store_be<std::int64_t>(batch, at::max_timestamp, now.value);
  set_checksum(batch);
}

Result<Buffer> recompress_batch(const BatchView& batch, const Recompression& target) {
  auto codec = batch.codec();
  if (!codec) return std::unexpected(to_error(BatchError::unknown_codec));
  auto plain = codec::decompress(*codec, batch.records(), target.records_bytes_max);
  if (!plain) return with_context(std::move(plain).error(), "records of a batch");
  auto records = codec::compress(target.codec, plain->data(), target.level);
  if (!records) return records;
  std::size_t size = batch_header_bytes + records->size();
  if (size > limits::batch_bytes_max) return std::unexpected(to_error(BatchError::batch_too_large));
  Buffer buffer = Buffer::make(size);
  MutableBytes out = buffer.data();
  std::memcpy(out.data(), batch.bytes().data(), batch_header_bytes);
  if (!records->empty())
    std::memcpy(out.subspan(at::records).data(), records->data().data(), records->size());
  store_be<std::int32_t>(out, at::batch_length, narrow<std::int32_t>(size - batch_prefix_bytes));
  auto kept = static_cast<unsigned>(batch.attributes()) & ~unsigned{attribute::codec_mask};
  store_be<std::uint16_t>(out, at::attributes,
                          narrow<std::uint16_t>(kept | static_cast<unsigned>(target.codec)));
  set_checksum(out);
  return buffer;
}

}  // namespace weir::record
