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

Seen seen_of(Offset offset, std::int64_t timestamp_ms, Bytes key, Bytes value) {
  Seen seen;
  seen.offset = offset;
  seen.hash = hash64(value, hash64(key, static_cast<std::uint64_t>(timestamp_ms)));
  seen.stream = ~StreamId{0};
  if (value.size() < kNameBytes) return seen;
  seen.stream = load_be<std::uint32_t>(value, 0);
  seen.number = load_be<std::uint32_t>(value, 4);
  return seen;
}

NewRecordText make_record(StreamId stream, std::uint32_t number, std::uint32_t value_bytes_max,
                          rt::Random& random) {
  NewRecordText made;
  made.key = "k" + std::to_string(random.below(50));
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
    builder.append({.timestamp = time, .key = as_bytes(key), .value = as_bytes(value)});
    made.hashes.push_back(seen_of({}, time.value, as_bytes(key), as_bytes(value)).hash);
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

bool read_batches(const BytesChain& records, std::vector<Seen>& out, std::string& why) {
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
      out.push_back(seen_of((*record)->offset, (*record)->timestamp.value,
                            (*record)->key.value_or(Bytes{}), (*record)->value.value_or(Bytes{})));
    }
  }
}

}  // namespace weir::sim
