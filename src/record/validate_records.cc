#include "record/validate_records.h"

#include <algorithm>

#include "record/reader.h"

namespace weir::record {
namespace {

void add_error(RecordsReport& report, RecordError error) {
  ++report.errors_total;
  if (report.errors.size() < limits::record_errors_max) report.errors.push_back(error);
}

}  // namespace

BatchError RecordsReport::summary() const {
  ENSURE(!errors.empty());
  for (const RecordError& error : errors)
    if (error.what == BatchError::bad_timestamp) return error.what;
  return errors.front().what;
}

Checked<RecordsReport> validate_records(const BatchView& batch, const RecordRules& rules) {
  auto reader = RecordReader::open(batch, rules.records_bytes_max);
  if (!reader) return std::unexpected(reader.error());
  RecordsReport report;
  report.records_bytes = reader->records_bytes();
  for (std::int32_t index = 0;; ++index) {
    auto record = reader->next();
    if (!record) return std::unexpected(record.error());
    if (!*record) return report;
    const RecordView& view = **record;
    if (view.offset_delta != index) return std::unexpected(BatchError::bad_offset_delta);
    // One error per record, as in Kafka.
    if (rules.keys_required && !view.key)
      add_error(report, {index, BatchError::key_missing});
    else if (!timestamp_allowed(view.timestamp, rules.timestamps))
      add_error(report, {index, BatchError::bad_timestamp});
    report.max_timestamp = std::max(report.max_timestamp, view.timestamp);
  }
}

}  // namespace weir::record
