#include "perf/raw_batches.h"

#include "base/endian.h"
#include "codec/crc32c.h"
#include "perf/limits.h"
#include "record/builder.h"

namespace weir::perf {

Result<RawBatches> RawBatches::make(const RawBatchOptions& options) {
  RawBatches all;
  Payload payload(options.payload, options.seed);
  std::size_t bytes = 0;
  while (all.batches_.size() < kRawBatchesMax && (all.batches_.empty() || bytes < kRawBytesMax)) {
    Result<Batch> batch = encode(options, payload);
    if (!batch) return std::unexpected(batch.error());
    bytes += batch->whole.size();
    all.batches_.push_back(std::move(*batch));
  }
  return all;
}

Result<RawBatches::Batch> RawBatches::encode(const RawBatchOptions& options, Payload& payload) {
  record::BatchBuilder builder({.codec = options.codec});
  Batch batch;
  std::size_t largest = 0;
  do {
    const std::size_t before = builder.bytes_uncompressed();
    record::NewRecord record{.timestamp = options.timestamp, .value = payload.value()};
    if (auto key = payload.key()) record.key = as_bytes(*key);
    builder.append(record);
    batch.payload_bytes += record.value->size() + (record.key ? record.key->size() : 0);
    largest = std::max(largest, builder.bytes_uncompressed() - before);
  } while (builder.bytes_uncompressed() + largest <= options.batch_bytes);
  batch.records = builder.records();
  Result<Buffer> bytes = std::move(builder).finish();
  if (!bytes) return std::unexpected(bytes.error());
  batch.whole = SharedBytes(std::move(*bytes));
  batch.behind_header = batch.whole.slice(record::batch_header_bytes,
                                          batch.whole.size() - record::batch_header_bytes);
  batch.crc_behind_header = codec::crc32c(batch.behind_header.view());
  return batch;
}

BytesChain RawBatches::stamped(std::size_t i, const Sequence& sequence) const {
  const Batch& batch = batches_[i];
  Buffer header = Buffer::copy_of(batch.whole.view().first(record::batch_header_bytes));
  MutableBytes bytes = header.data();
  store_be<std::int64_t>(bytes, record::at::producer_id, sequence.producer.value);
  store_be<std::int16_t>(bytes, record::at::producer_epoch, sequence.epoch.value);
  store_be<std::int32_t>(bytes, record::at::base_sequence, sequence.first);
  const std::uint32_t crc = codec::crc32c(bytes.subspan(record::at::attributes));
  store_be<std::uint32_t>(
      bytes, record::at::crc,
      codec::crc32c_combine(crc, batch.crc_behind_header, batch.behind_header.size()));
  BytesChain chain{SharedBytes(std::move(header))};
  chain.append(batch.behind_header);
  return chain;
}

}  // namespace weir::perf
