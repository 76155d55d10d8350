#include "record/marker.h"

#include <array>

#include "record/builder.h"
#include "record/reader.h"

namespace weir::record {
namespace {

constexpr std::size_t kKeySize = 4;
constexpr std::size_t kValueSize = 6;
constexpr std::int16_t kVersion = 0;

}  // namespace

Buffer build_marker(const Marker& marker) {
  std::array<std::byte, kKeySize> key;
  store_be<std::int16_t>(key, 0, kVersion);
  store_be<std::int16_t>(key, 2, static_cast<std::int16_t>(marker.type));
  std::array<std::byte, kValueSize> value;
  store_be<std::int16_t>(value, 0, kVersion);
  store_be<std::int32_t>(value, 2, marker.coordinator_epoch);
  BatchBuilder builder({.base_offset = marker.offset,
                        .leader_epoch = marker.leader_epoch,
                        .producer_id = marker.producer_id,
                        .producer_epoch = marker.producer_epoch,
                        .transactional = true,
                        .control = true});
  builder.append({.timestamp = marker.timestamp, .key = Bytes(key), .value = Bytes(value)});
  auto batch = std::move(builder).finish();
  ENSURE(batch.has_value());  // a few dozen bytes without compression cannot fail
  return *batch;
}

Checked<std::optional<Marker>> read_marker(const BatchView& batch) {
  if (!batch.control()) return std::nullopt;
  auto reader = RecordReader::open(batch);
  if (!reader) return std::unexpected(reader.error());
  auto record = reader->next();
  if (!record) return std::unexpected(record.error());
  if (!*record) return std::nullopt;
  const RecordView& view = **record;
  // Newer versions may append fields; those that are known stay where they are.
  if (!view.key || view.key->size() < kKeySize)
    return std::unexpected(BatchError::malformed_record);
  auto type = load_be<std::int16_t>(*view.key, 2);
  if (type != static_cast<std::int16_t>(MarkerType::abort) &&
      type != static_cast<std::int16_t>(MarkerType::commit))
    return std::nullopt;
  if (!view.value || view.value->size() < kValueSize)
    return std::unexpected(BatchError::malformed_record);
  return Marker{.type = static_cast<MarkerType>(type),
                .offset = view.offset,
                .leader_epoch = batch.leader_epoch(),
                .timestamp = view.timestamp,
                .producer_id = batch.producer_id(),
                .producer_epoch = batch.producer_epoch(),
                .coordinator_epoch = load_be<std::int32_t>(*view.value, 2)};
}

}  // namespace weir::record
