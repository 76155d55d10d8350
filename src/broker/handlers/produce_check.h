// What Produce does to one batch before the engine sees it.
//
// In two steps. `check_batch` needs no topic: structure, checksum, fields; it runs on the lane.
// `apply_settings` judges the batch by its topic's configs, on the engine's loop, and says whether
// its records must be looked into or rewritten; `rework` does that on a worker.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "broker/config/topic_settings.h"
#include "broker/kafka_error.h"
#include "engine/api.h"

namespace weir::broker::handlers {

struct RecordProblem {
  std::int32_t index = 0;
  std::string message;
};

/// One partition of a Produce request on its way.
struct ProducePart {
  /// Where its answer goes.
  std::size_t topic = 0;
  std::size_t partition = 0;
  engine::ProduceItem item;

  KafkaError error = KafkaError::none;
  std::string message;
  std::vector<RecordProblem> record_errors;
  /// -1 with CreateTime.
  std::int64_t log_append_time_ms = -1;
  engine::ProduceOutcome outcome;

  bool good() const { return error == KafkaError::none; }
  void refuse(KafkaError code, std::string why) {
    error = code;
    message = std::move(why);
  }
};

/// Fills `part.item.batch` and `.info`, or refuses.
void check_batch(const std::optional<BytesChain>& records, std::int16_t version, ProducePart& part);

/// What is left to do for a batch.
struct Rework {
  bool look_into_records = false;
  bool set_time = false;
  std::optional<codec::Codec> recompress;

  bool any() const { return look_into_records || set_time || recompress; }
};

Rework apply_settings(const config::TopicSettings& settings, WallMillis now, ProducePart& part);

/// Decodes, stamps, compresses. May run on any thread while nobody else touches `part`. False, and
/// `part` is as before, if the decoded records are larger than `settings.records_bytes_max`.
bool rework(const Rework& what, const config::TopicSettings& settings, WallMillis now,
            ProducePart& part);
void refuse_large_records(ProducePart& part, std::size_t records_bytes_max);

}  // namespace weir::broker::handlers
