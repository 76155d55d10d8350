// `weir produce` and `weir consume`: records from standard input, records to standard output.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/session.h"
#include "client/consumer.h"

namespace weir::cli {

rt::Task<ExitStatus> produce(Session& session);
rt::Task<ExitStatus> consume(Session& session);

/// For commands whose name is a topic's: neither of them makes one.
inline Advice topic_advice(const Session& session) {
  if (session.cluster.find(session.names.front()))
    return {.not_found = "`weir topic describe` shows the partitions that there are"};
  return {.not_found = "`weir topic create` makes one, `weir topic list` shows what there is"};
}

/// Cuts a byte stream into lines, without the "\n" that ends them and with all other bytes: what
/// somebody sends is not ours to change. Pieces arrive in any splits.
class LineSplitter {
 public:
  explicit LineSplitter(std::size_t line_bytes_max) : line_bytes_max_(line_bytes_max) {}

  void feed(Bytes bytes) { pending_.append(as_text(bytes)); }
  /// The input has ended: what is pending is the last line.
  void end() { ended_ = true; }
  /// The next whole line, if there is one. Errors: too_large.
  Result<std::optional<std::string>> next();

 private:
  std::size_t line_bytes_max_;
  std::string pending_;
  std::size_t taken_ = 0;
  /// Searched for a line break already.
  std::size_t searched_ = 0;
  bool ended_ = false;
};

/// Where in a partition to begin or end.
struct Place {
  enum class Kind : std::uint8_t { beginning, end, offset, before_end, time };
  Kind kind = Kind::beginning;
  /// An offset, a number of records, or milliseconds since 1970.
  std::int64_t value = 0;
};
/// "beginning", "end", "1234", "-10" (the last ten), "@1700000000000" or "2026-01-31T12:00:00Z".
/// Errors: invalid_argument.
Result<Place> parse_place(std::string_view text);

/// The offset of a place in one partition; a time after the last record is the end. Errors: those
/// of Consumer::find_offset.
rt::Task<Result<Offset>> offset_of(Session& session, client::Consumer& consumer,
                                   client::TopicPartition at, Place place);

/// Milliseconds since 1970 of "YYYY-MM-DD" or "YYYY-MM-DDTHH:MM:SS[.mmm]Z"; nothing if it is none.
std::optional<std::int64_t> parse_utc(std::string_view text);

/// What of a record is printed, and in which order; the value comes last.
struct RecordPrinter {
  enum class Field : std::uint8_t { key, offset, timestamp, headers, partition };
  std::vector<Field> fields;
  bool json = false;

  /// One line, line break included.
  std::string line(const client::TopicPartition& at, const record::RecordView& record) const;
};
/// "key,offset,…". Errors: invalid_argument.
Result<std::vector<RecordPrinter::Field>> parse_fields(std::string_view text);

}  // namespace weir::cli
