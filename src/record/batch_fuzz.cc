// Fuzz target: any bytes as a batch, as the records of a batch, and as a region.
//
// A random mutation hardly ever has a good checksum, so besides the bytes as they are, the target
// tries them with magic, length and checksum made good, and as a records section behind a header
// that fits. What is accepted must then keep its promises.
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "codec/crc32c.h"
#include "record/batch_edit.h"
#include "record/builder.h"
#include "record/marker.h"
#include "record/reader.h"
#include "record/search.h"
#include "record/validate_records.h"

namespace weir::record {
namespace {

constexpr std::size_t kRecordsMax = std::size_t{1} << 20;
const BatchRules kRules{.timestamps = {.now = WallMillis(1'700'000'000'000)}};

// Reads all records, and writes them again if there is a builder.
bool read_all(const BatchView& batch, BatchBuilder* builder) {
  auto reader = RecordReader::open(batch, kRecordsMax);
  if (!reader) return false;
  while (true) {
    auto record = reader->next();
    if (!record) return false;
    if (!*record) return true;
    RecordView& view = **record;
    std::vector<NewHeader> headers;
    while (auto header = view.headers.next()) headers.push_back({header->key, header->value});
    if (builder == nullptr) continue;
    builder->append_at(
        view.offset,
        {.timestamp = view.timestamp, .key = view.key, .value = view.value, .headers = headers});
  }
}

// What validation accepts stays valid through the stages of the produce path.
void check_accepted(std::vector<std::byte> bytes, const BatchInfo& info) {
  auto batch = BatchView::front_of(bytes);
  ENSURE(batch && info.bytes == bytes.size() && info.records == batch->record_count());
  auto report =
      validate_records(*batch, {.timestamps = kRules.timestamps, .records_bytes_max = kRecordsMax});
  if (report) {
    BatchBuilder builder({.base_offset = batch->base_offset()});
    ENSURE(read_all(*batch, &builder));
    auto copy = std::move(builder).finish();
    ENSURE(copy.has_value());
    auto again = BatchView::front_of(copy->data());
    ENSURE(again && again->record_count() == info.records);
    ENSURE(read_all(*again, nullptr));
  }
  auto next = stamp_region(bytes, {Offset(1000), LeaderEpoch(7)});
  ENSURE(next && next->value == 1000 + info.records);
  ENSURE(BatchView::front_of(bytes)->checksum_ok());
  set_log_append_time(bytes, WallMillis(5));
  ENSURE(BatchView::front_of(bytes)->checksum_ok());
  auto other = recompress_batch(*BatchView::front_of(bytes),
                                {.codec = codec::Codec::lz4, .records_bytes_max = kRecordsMax});
  if (other) ENSURE(BatchView::front_of(other->data())->checksum_ok());
}

void try_batch(const std::vector<std::byte>& bytes) {
  if (auto info = validate_batch(bytes, kRules)) check_accepted(bytes, *info);
  TimestampQuery query{.target = WallMillis(100), .records_bytes_max = kRecordsMax};
  (void)find_timestamp(bytes, query);
  (void)find_max_timestamp(bytes, query);
  BatchIterator batches(bytes);
  while (true) {
    auto batch = batches.next();
    if (!batch || !*batch) break;
    BatchBuilder builder({.base_offset = (*batch)->base_offset()});
    (void)read_all(**batch, &builder);
    (void)std::move(builder).finish();
    (void)read_marker(**batch);
  }
}

void make_good(std::vector<std::byte>& bytes) {
  store_be<std::int8_t>(bytes, at::magic, magic_v2);
  store_be<std::int32_t>(bytes, at::batch_length,
                         static_cast<std::int32_t>(bytes.size() - batch_prefix_bytes));
  store_be<std::uint32_t>(bytes, at::crc, codec::crc32c(Bytes(bytes).subspan(at::attributes)));
}

// The first byte chooses codec and count, the rest are the records.
void try_records(Bytes input) {
  auto choice = std::to_integer<unsigned>(input.front());
  BatchBuilder empty({});
  auto header = std::move(empty).finish();
  ENSURE(header.has_value());
  Bytes head = header->data();
  std::vector<std::byte> bytes(head.begin(), head.end());
  bytes.insert(bytes.end(), input.begin() + 1, input.end());
  store_be<std::uint16_t>(bytes, at::attributes, static_cast<std::uint16_t>(choice % 5));
  store_be<std::int32_t>(bytes, at::record_count, static_cast<std::int32_t>(choice / 5 + 1));
  store_be<std::int32_t>(bytes, at::last_offset_delta, static_cast<std::int32_t>(choice / 5));
  make_good(bytes);
  try_batch(bytes);
}

void run(Bytes input) {
  std::vector<std::byte> bytes(input.begin(), input.end());
  try_batch(bytes);
  if (!input.empty()) try_records(input);
  if (bytes.size() < batch_header_bytes) return;
  make_good(bytes);
  try_batch(bytes);
}

}  // namespace
}  // namespace weir::record

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  weir::record::run(std::as_bytes(std::span(data, size)));
  return 0;
}
