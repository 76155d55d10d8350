// Record batches for produce tests.
#pragma once

#include <string>
#include <vector>

#include "base/ensure.h"
#include "record/builder.h"

namespace weir::broker::testing {

struct BatchSpec {
  int records = 1;
  std::size_t value_bytes = 10;
  /// Milliseconds; -1 = none.
  std::int64_t timestamp = 1'000;
  bool keys = true;
  codec::Codec codec = codec::Codec::none;
  bool transactional = false;
};

inline SharedBytes make_batch(const BatchSpec& spec = {}) {
  record::BatchOptions options;
  options.codec = spec.codec;
  if (spec.transactional) {
    options.transactional = true;
    options.producer_id = ProducerId(5);
    options.producer_epoch = ProducerEpoch(0);
    options.base_sequence = 0;
  }
  record::BatchBuilder builder(options);
  const std::string value(spec.value_bytes, 'v');
  for (int i = 0; i < spec.records; ++i) {
    const std::string key = "k" + std::to_string(i);
    builder.append({.timestamp = WallMillis(spec.timestamp),
                    .key = spec.keys ? std::optional<Bytes>(as_bytes(key)) : std::nullopt,
                    .value = as_bytes(value),
                    .headers = {}});
  }
  auto batch = std::move(builder).finish();
  ENSURE(batch.has_value());
  return std::move(*batch);
}

}  // namespace weir::broker::testing
