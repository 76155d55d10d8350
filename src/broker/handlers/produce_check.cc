#include "broker/handlers/produce_check.h"

#include "base/narrow.h"
#include "record/batch_edit.h"
#include "record/batch_view.h"
#include "record/validate.h"
#include "record/validate_records.h"

namespace weir::broker::handlers {
namespace {

using record::BatchError;

KafkaError code_of(BatchError error) {
  switch (error) {
    case BatchError::cut_off:
    case BatchError::bad_length:
    case BatchError::bad_checksum:
    case BatchError::malformed_record:
    case BatchError::undecodable: return KafkaError::corrupt_message;
    case BatchError::batch_too_large:
    case BatchError::records_too_large: return KafkaError::message_too_large;
    case BatchError::unknown_codec:
    case BatchError::codec_not_allowed: return KafkaError::unsupported_compression_type;
    case BatchError::bad_timestamp: return KafkaError::invalid_timestamp;
    case BatchError::bad_magic:
    case BatchError::empty:
    case BatchError::trailing_bytes:
    case BatchError::bad_count:
    case BatchError::control_batch:
    case BatchError::bad_attributes:
    case BatchError::bad_producer:
    case BatchError::key_missing:
    case BatchError::bad_offset_delta: return KafkaError::invalid_record;
  }
  return KafkaError::invalid_record;
}

void refuse(ProducePart& part, BatchError error) {
  part.refuse(code_of(error), std::string(record::describe(error)) + ".");
}

/// Whoever hits the limit needs both numbers, and the name of what may be raised.
void refuse_size(ProducePart& part, std::size_t bytes, const config::TopicSettings& settings) {
  part.refuse(KafkaError::message_too_large,
              "the record batch has " + std::to_string(bytes) +
                  " bytes, more than the topic's max.message.bytes=" +
                  std::to_string(settings.batch_bytes_max) +
                  "; raise that, or send smaller records or batches.");
}

record::TimestampRules time_rules(const config::TopicSettings& settings, WallMillis now) {
  return {.type = settings.log_append_time ? record::TimestampType::log_append_time
                                           : record::TimestampType::create_time,
          .now = now,
          .before_max_ms = settings.before_max_ms,
          .after_max_ms = settings.after_max_ms};
}

bool look_into(const config::TopicSettings& settings, WallMillis now, ProducePart& part) {
  const auto view = record::BatchView::front_of(part.item.batch.view());
  ENSURE(view.has_value());
  const auto report =
      record::validate_records(*view, {.keys_required = settings.compact,
                                       .timestamps = time_rules(settings, now),
                                       .records_bytes_max = settings.records_bytes_max});
  if (!report && report.error() == BatchError::records_too_large) return false;
  if (!report) {
    refuse(part, report.error());
    return true;
  }
  if (report->ok()) return true;
  refuse(part, report->summary());
  for (const record::RecordError& error : report->errors)
    part.record_errors.push_back({error.index, std::string(record::describe(error.what)) + "."});
  return true;
}

bool recompress(codec::Codec codec, const config::TopicSettings& settings, ProducePart& part) {
  const auto view = record::BatchView::front_of(part.item.batch.view());
  ENSURE(view.has_value());
  auto batch = record::recompress_batch(*view, {.codec = codec,
                                                .level = settings.codec_level,
                                                .records_bytes_max = settings.records_bytes_max});
  if (!batch && batch.error().is(ErrorCode::too_large)) return false;
  if (!batch) {
    part.refuse(KafkaError::corrupt_message, batch.error().message + ".");
    return true;
  }
  // The limit of the topic holds for what is stored, too.
  if (batch->size() > settings.batch_bytes_max) {
    refuse_size(part, batch->size(), settings);
    return true;
  }
  part.item.batch = std::move(*batch);
  part.item.info.bytes = narrow<std::uint32_t>(part.item.batch.size());
  part.item.info.codec = codec;
  return true;
}

}  // namespace

void check_batch(const std::optional<BytesChain>& records, std::int16_t version,
                 ProducePart& part) {
  if (!records || records->empty()) return refuse(part, BatchError::empty);
  ENSURE(records->parts().size() == 1);
  part.item.batch = records->parts().front();
  record::BatchRules rules;
  rules.zstd_allowed = version >= 7;
  // The topic's window is judged later; here any time goes.
  rules.timestamps.type = record::TimestampType::log_append_time;
  const auto info = record::validate_batch(part.item.batch.view(), rules);
  if (!info) return refuse(part, info.error());
  part.item.info = *info;
}

Rework apply_settings(const config::TopicSettings& settings, WallMillis now, ProducePart& part) {
  const record::BatchInfo& info = part.item.info;
  if (info.bytes > settings.batch_bytes_max) {
    refuse_size(part, info.bytes, settings);
    return {};
  }
  if (info.transactional) {
    part.refuse(KafkaError::invalid_txn_state, "transactions are not served.");
    return {};
  }
  const record::TimestampRules rules = time_rules(settings, now);
  if (!record::timestamp_allowed(WallMillis(info.base_timestamp_ms), rules) ||
      !record::timestamp_allowed(WallMillis(info.max_timestamp_ms), rules)) {
    refuse(part, BatchError::bad_timestamp);
    return {};
  }
  Rework out;
  out.set_time = settings.log_append_time;
  if (settings.codec && *settings.codec != info.codec) out.recompress = settings.codec;
  out.look_into_records = settings.compact || out.recompress;
  return out;
}

void refuse_large_records(ProducePart& part, std::size_t records_bytes_max) {
  part.refuse(KafkaError::message_too_large,
              "the records of the batch take more than " + std::to_string(records_bytes_max) +
                  " bytes when decompressed; send smaller batches, or raise "
                  "max.decompressed.message.bytes or the broker's --memory.");
}

bool rework(const Rework& what, const config::TopicSettings& settings, WallMillis now,
            ProducePart& part) {
  if (what.look_into_records && !look_into(settings, now, part)) return false;
  if (part.good() && what.recompress && !recompress(*what.recompress, settings, part)) return false;
  if (!part.good() || !what.set_time) return true;
  record::set_log_append_time(part.item.batch.mutable_view(), now);
  part.log_append_time_ms = now.value;
  part.item.info.base_timestamp_ms = part.item.info.max_timestamp_ms = now.value;
  return true;
}

}  // namespace weir::broker::handlers
