#include "broker/telemetry/otlp.h"

#include <bit>
#include <optional>

#include "base/endian.h"
#include "broker/limits.h"

namespace weir::broker::telemetry {
namespace {

/// Wire types of protocol buffers.
enum class Wire : std::uint8_t { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

struct Field {
  std::uint32_t number = 0;
  Wire wire = Wire::varint;
  /// Of varint and fixed fields.
  std::uint64_t number_value = 0;
  /// Of a field of bytes: a text or a message inside.
  Bytes bytes;

  bool is(std::uint32_t which, Wire kind) const { return number == which && wire == kind; }
  /// Cut at the limit, because a name is copied for each of its numbers.
  std::string text() const {
    return std::string(as_text(bytes).substr(0, kTelemetryLabelBytesMax));
  }
};

/// Walks the fields of one message.
class Message {
 public:
  explicit Message(Bytes bytes) : left_(bytes) {}

  /// Nothing at the end; false in `ok` if what follows is no field.
  std::optional<Field> next() {
    if (left_.empty()) return std::nullopt;
    const std::optional<std::uint64_t> key = varint();
    if (!key || (*key >> 3) == 0 || (*key >> 3) > kFieldNumberMax) return broken();
    Field field{.number = static_cast<std::uint32_t>(*key >> 3),
                .wire = static_cast<Wire>(*key & 7)};
    std::optional<std::uint64_t> value;
    switch (field.wire) {
      case Wire::varint: value = varint(); break;
      case Wire::fixed64: value = fixed<std::uint64_t>(); break;
      case Wire::fixed32: value = fixed<std::uint32_t>(); break;
      case Wire::bytes: {
        value = varint();
        if (!value || *value > left_.size()) return broken();
        field.bytes = take(static_cast<std::size_t>(*value));
        break;
      }
    }
    if (!value) return broken();
    field.number_value = *value;
    return field;
  }
  bool ok() const { return ok_; }

 private:
  static constexpr std::uint64_t kFieldNumberMax = (1u << 29) - 1;

  std::nullopt_t broken() {
    ok_ = false;
    return std::nullopt;
  }
  Bytes take(std::size_t count) {
    const Bytes front = left_.first(count);
    left_ = left_.subspan(count);
    return front;
  }
  std::optional<std::uint64_t> varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && !left_.empty(); shift += 7) {
      const auto byte = static_cast<std::uint8_t>(take(1).front());
      value |= std::uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) return value;
    }
    return std::nullopt;
  }
  template <class T>
  std::optional<std::uint64_t> fixed() {
    if (left_.size() < sizeof(T)) return std::nullopt;
    return std::byteswap(load_be<T>(take(sizeof(T)), 0));
  }

  Bytes left_;
  bool ok_ = true;
};

/// Calls `visit` with every field; false if the bytes are no message, or `visit` said so.
template <class Visit>
bool each(Bytes bytes, Visit visit) {
  Message message(bytes);
  while (const std::optional<Field> field = message.next())
    if (!visit(*field)) return false;
  return message.ok();
}

// The numbers of the fields are those of opentelemetry/proto/metrics/v1/metrics.proto and
// common/v1/common.proto.

std::string text_of(const Field& value) {
  switch (value.number) {
    case 1: return value.text();
    case 2: return value.number_value != 0 ? "true" : "false";
    case 3: return std::to_string(static_cast<std::int64_t>(value.number_value));
    case 4: return std::to_string(std::bit_cast<double>(value.number_value));
    default: return {};
  }
}

bool read_attribute(Bytes bytes, Point& point) {
  std::string key, value;
  const bool good = each(bytes, [&](const Field& field) {
    if (field.is(1, Wire::bytes)) key = field.text();
    if (!field.is(2, Wire::bytes)) return true;
    return each(field.bytes, [&](const Field& inner) {
      value = text_of(inner);
      return true;
    });
  });
  if (!good) return false;
  if (!key.empty() && point.attributes.size() < kTelemetryAttributesMax)
    point.attributes.emplace_back(std::move(key), std::move(value));
  return true;
}

class Reader {
 public:
  explicit Reader(std::size_t points_max) : points_max_(points_max) {}

  bool resource_metrics(Bytes bytes) {
    return each(bytes, [&](const Field& field) {
      return !field.is(2, Wire::bytes) || scope_metrics(field.bytes);
    });
  }
  std::vector<Point>& points() { return points_; }
  bool too_many() const { return too_many_; }

 private:
  bool scope_metrics(Bytes bytes) {
    return each(bytes, [&](const Field& field) {
      return !field.is(2, Wire::bytes) || metric(field.bytes);
    });
  }
  bool metric(Bytes bytes) {
    const std::size_t first = points_.size();
    std::string name;
    const bool good = each(bytes, [&](const Field& field) {
      if (field.is(1, Wire::bytes)) name = field.text();
      if (field.is(5, Wire::bytes)) return numbers(field.bytes, false);
      if (field.is(7, Wire::bytes)) return numbers(field.bytes, true);
      return true;
    });
    for (std::size_t i = first; i < points_.size(); ++i) points_[i].metric = name;
    return good;
  }
  /// A Gauge, or a Sum with its temporality.
  bool numbers(Bytes bytes, bool sum) {
    constexpr std::uint64_t kDelta = 1;
    const std::size_t first = points_.size();
    bool delta = false;
    const bool good = each(bytes, [&](const Field& field) {
      if (sum && field.is(2, Wire::varint)) delta = field.number_value == kDelta;
      return !field.is(1, Wire::bytes) || number(field.bytes);
    });
    for (std::size_t i = first; i < points_.size(); ++i) points_[i].delta = delta;
    return good;
  }
  bool number(Bytes bytes) {
    if (points_.size() == points_max_) {
      too_many_ = true;
      return false;
    }
    Point& point = points_.emplace_back();
    return each(bytes, [&](const Field& field) {
      if (field.is(4, Wire::fixed64)) point.value = std::bit_cast<double>(field.number_value);
      if (field.is(6, Wire::fixed64))
        point.value = static_cast<double>(static_cast<std::int64_t>(field.number_value));
      return !field.is(7, Wire::bytes) || read_attribute(field.bytes, point);
    });
  }

  std::size_t points_max_;
  std::vector<Point> points_;
  bool too_many_ = false;
};

}  // namespace

Result<std::vector<Point>> read_metrics(Bytes message, std::size_t points_max) {
  Reader reader(points_max);
  const bool good = each(message, [&](const Field& field) {
    return !field.is(1, Wire::bytes) || reader.resource_metrics(field.bytes);
  });
  if (reader.too_many())
    return fail(ErrorCode::too_large,
                "more than " + std::to_string(points_max) + " numbers in one push of metrics");
  if (!good) return fail(ErrorCode::corrupt, "the pushed metrics are no OTLP message");
  return std::move(reader.points());
}

}  // namespace weir::broker::telemetry
