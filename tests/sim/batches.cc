#include "tests/sim/batches.h"

#include <cstring>

#include "base/endian.h"
#include "base/narrow.h"
#include "record/builder.h"
#include "record/reader.h"
#include "record/validate.h"

namespace weir::sim {

namespace {

constexpr std::size_t kNameBytes = 8;

std::string value_of(std::uint32_t stream, std::uint32_t number, std::size_t filler,
                     rt::Random& random) {
  std::string value(kNameBytes + filler, '\0');
  MutableBytes bytes = std::as_writable_bytes(std::span(value));
  store_be<std::uint32_t>(bytes, 0, stream);
  store_be<std::uint32_t>(bytes, 4, number);
  for (std::size_t i = kNameBytes; i < value.size(); ++i)
    value[i] = static_cast<char>('a' + random.below(26));
  return value;
}

}  // namespace

namespace {

/// Who it says it is: at the front of its value, or where it has none in its only header.
Seen named(Offset offset, Bytes name, std::uint64_t hash) {
  Seen seen;
  seen.offset = offset;
  seen.hash = hash;
  seen.stream = ~StreamId{0};
  if (name.size() < kNameBytes) return seen;
  seen.stream = load_be<std::uint32_t>(name, 0);
  seen.number = load_be<std::uint32_t>(name, 4);
  return seen;
}

Bytes name_of(const record::RecordView& record) {
  if (record.value) return *record.value;
  record::HeadersView headers = record.headers;
  auto first = headers.next();
  return first && first->value ? *first->value : Bytes();
}

}  // namespace

Seen seen_of(Offset offset, std::int64_t timestamp_ms, Bytes key, Bytes value) {
  Seen seen =
      named(offset, value, hash64(value, hash64(key, static_cast<std::uint64_t>(timestamp_ms))));
  seen.key_hash = hash64(key);
  return seen;
}

Seen seen_of(const record::RecordView& record) {
  Bytes name = name_of(record);
  Seen seen = seen_of(record.offset, record.timestamp.value, record.key.value_or(Bytes{}), name);
  seen.tombstone = !record.value;
  if (seen.tombstone) seen.hash = ~seen.hash;
  return seen;
}

NewRecordText make_record(StreamId stream, std::uint32_t number, std::uint32_t value_bytes_max,
                          rt::Random& random) {
  NewRecordText made;
  // Some keys come again and again, others rarely.
  made.key = random.below(5) == 0
                 ? "r" + std::to_string(stream) + "-" + std::to_string(random.below(400))
                 : "k" + std::to_string(random.below(50));
  made.value = value_of(stream, number, 8 + random.below(value_bytes_max), random);
  return made;
}

MadeBatch make_batch(const NewBatch& batch, rt::Random& random) {
  record::BatchOptions options;
  options.codec = batch.codec;
  if (batch.producer.value >= 0) {
    options.producer_id = batch.producer;
    options.producer_epoch = ProducerEpoch(0);
    options.base_sequence = batch.sequence;
  }
  MadeBatch made;
  record::BatchBuilder builder(options);
  for (std::uint32_t i = 0; i < batch.count; ++i) {
    auto [key, value] = make_record(batch.stream, batch.first + i, batch.value_bytes_max, random);
    WallMillis time(batch.timestamp.value + i);
    bool tombstone = batch.tombstones_percent > 0 && random.below(100) < batch.tombstones_percent;
    Bytes name = as_bytes(value).first(kNameBytes);
    Seen& record = made.records.emplace_back(
        seen_of({}, time.value, as_bytes(key), tombstone ? name : as_bytes(value)));
    record.tombstone = tombstone;
    if (tombstone) record.hash = ~record.hash;
    record::NewHeader header{"name", name};
    record::NewRecord out{.timestamp = time, .key = as_bytes(key)};
    if (tombstone)
      out.headers = std::span(&header, 1);
    else
      out.value = as_bytes(value);
    builder.append(out);
  }
  auto finished = std::move(builder).finish();
  ENSURE(finished.has_value());
  made.bytes = std::move(*finished);
  record::BatchRules rules;
  rules.timestamps.now = batch.timestamp;
  auto facts = record::validate_batch(made.bytes.view(), rules);
  ENSURE(facts.has_value());
  made.info = *facts;
  return made;
}

engine::ProduceItem item_of(PartitionRef at, const MadeBatch& batch) {
  return {at, SharedBytes::copy_of(batch.bytes.view()), batch.info};
}

bool read_batches(const BytesChain& records, std::vector<Seen>& out, Offset& next_offset,
                  std::string& why) {
  SharedBytes all = records.flatten();
  record::BatchIterator batches(all.view());
  for (;;) {
    auto next = batches.next();
    if (!next) {
      why = record::describe(next.error());
      return false;
    }
    if (!*next) return true;
    if (!(*next)->checksum_ok()) {
      why = "a batch does not match its checksum";
      return false;
    }
    next_offset = (*next)->last_offset().next();
    auto reader = record::RecordReader::open(**next);
    if (!reader) {
      why = record::describe(reader.error());
      return false;
    }
    for (;;) {
      auto record = reader->next();
      if (!record) {
        why = record::describe(record.error());
        return false;
      }
      if (!*record) break;
      out.push_back(seen_of(**record));
    }
  }
}

}  // namespace weir::sim
