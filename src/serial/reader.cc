#include "serial/reader.h"

#include <utility>

namespace weir::serial {

void Reader::fail(Problem problem, const char* field, std::uint64_t detail) {
  if (!ok()) return;
  problem_ = problem;
  problem_field_ = field;
  problem_at_ = at_;
  problem_detail_ = detail;
  // Nothing is left to read, so every later read takes the short way out.
  view_ = view_.first(at_);
}

Error Reader::error() const {
  const std::string detail = std::to_string(problem_detail_);
  const std::string place = std::string(problem_field_) + " at byte " + std::to_string(problem_at_);
  const auto corrupt = [&](std::string text) {
    return Error{ErrorCode::corrupt, place + ": " + std::move(text)};
  };
  switch (problem_) {
    case Problem::none: return Error{ErrorCode::internal, "no decoding error"};
    case Problem::truncated: return corrupt("needs " + detail + " bytes, the input ends before");
    case Problem::bad_varint: return corrupt("variable-length integer does not fit its type");
    case Problem::null_refused: return corrupt("null is not allowed in this version");
    case Problem::count_too_large: return corrupt(detail + " elements cannot fit the bytes left");
    case Problem::tag_size: return corrupt("tagged field does not have its size of " + detail);
    case Problem::trailing: return corrupt(detail + " bytes follow the end of the message");
    case Problem::value: return corrupt("impossible value");
    case Problem::string_too_long:
      return Error{ErrorCode::too_large, place + ": string of " + detail + " bytes"};
    case Problem::memory:
      return Error{ErrorCode::too_large,
                   place + ": decoding needs " + detail + " bytes more than the message may take"};
    case Problem::version:
      return Error{ErrorCode::unsupported,
                   std::string(problem_field_) + " has no version " +
                       std::to_string(static_cast<std::int64_t>(problem_detail_))};
  }
  return Error{ErrorCode::internal, "unknown decoding error"};
}

bool Reader::expect_end() {
  if (ok() && remaining() != 0) fail(Problem::trailing, "end of message", remaining());
  return ok();
}

void Reader::fail_version(const char* message, std::int16_t version) {
  fail(Problem::version, message, static_cast<std::uint64_t>(std::int64_t{version}));
}

void Reader::fail_value(const char* field) { fail(Problem::value, field, 0); }

bool Reader::charge(std::size_t bytes, const char* field) {
  if (!ok()) return false;
  if (bytes > memory_left_) {
    fail(Problem::memory, field, bytes - memory_left_);
    return false;
  }
  memory_left_ -= bytes;
  return true;
}

Uuid Reader::uuid(const char* field) {
  if (remaining() < 16) {
    fail(Problem::truncated, field, 16);
    return {};
  }
  const Uuid id = Uuid::from_bytes(view_.subspan(at_, 16));
  at_ += 16;
  return id;
}

std::uint64_t Reader::uvarint(const char* field) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < 10; ++i) {
    if (at_ + i >= view_.size()) {
      fail(Problem::truncated, field, i + 1);
      return 0;
    }
    const std::uint64_t b = std::to_integer<std::uint64_t>(view_[at_ + i]);
    if (i == 9 && b > 1) break;
    value |= (b & 0x7f) << (7 * i);
    if (b < 0x80) {
      at_ += i + 1;
      return value;
    }
  }
  fail(Problem::bad_varint, field, 0);
  return 0;
}

std::uint32_t Reader::uvarint32(const char* field) {
  const std::size_t start = at_;
  const std::uint64_t value = uvarint(field);
  if (value > 0xffffffffU || at_ - start > 5) {
    at_ = start;
    fail(Problem::bad_varint, field, 0);
    return 0;
  }
  return static_cast<std::uint32_t>(value);
}

std::int64_t Reader::varlong(const char* field) {
  const std::uint64_t raw = uvarint(field);
  return static_cast<std::int64_t>(raw >> 1) ^ -static_cast<std::int64_t>(raw & 1);
}

std::int32_t Reader::varint(const char* field) {
  const std::uint32_t raw = uvarint32(field);
  return static_cast<std::int32_t>(raw >> 1) ^ -static_cast<std::int32_t>(raw & 1);
}

std::optional<std::size_t> Reader::length(Form form, Null null, const char* field) {
  std::int64_t size = 0;
  if (form == Form::compact) {
    size = std::int64_t{uvarint32(field)} - 1;
  } else {
    // As in Kafka, any negative length means null.
    size = int32(field);
  }
  if (!ok()) return std::nullopt;
  if (size < 0) {
    if (null == Null::refused) fail(Problem::null_refused, field, 0);
    return std::nullopt;
  }
  if (static_cast<std::uint64_t>(size) > remaining()) {
    fail(Problem::truncated, field, static_cast<std::uint64_t>(size));
    return std::nullopt;
  }
  return static_cast<std::size_t>(size);
}

std::optional<std::size_t> Reader::string_length(Form form, Null null, const char* field) {
  if (form == Form::compact) {
    const std::optional<std::size_t> size = length(form, null, field);
    if (size && *size > kStringBytesMax) {
      fail(Problem::string_too_long, field, *size);
      return std::nullopt;
    }
    return size;
  }
  const std::int16_t size = int16(field);
  if (!ok()) return std::nullopt;
  if (size < 0) {
    if (null == Null::refused) fail(Problem::null_refused, field, 0);
    return std::nullopt;
  }
  if (static_cast<std::size_t>(size) > remaining()) {
    fail(Problem::truncated, field, static_cast<std::uint64_t>(size));
    return std::nullopt;
  }
  return static_cast<std::size_t>(size);
}

std::string Reader::take_string(std::size_t size, const char* field) {
  if (!charge(size, field)) return {};
  std::string text(as_text(view_.subspan(at_, size)));
  at_ += size;
  return text;
}

SharedBytes Reader::take(std::size_t size) {
  SharedBytes slice = input_.slice(at_, size);
  at_ += size;
  return slice;
}

std::string Reader::string(Form form, const char* field) {
  const std::optional<std::size_t> size = string_length(form, Null::refused, field);
  return size ? take_string(*size, field) : std::string();
}

std::optional<std::string> Reader::nullable_string(Form form, Null null, const char* field) {
  const std::optional<std::size_t> size = string_length(form, null, field);
  if (!size) return std::nullopt;
  return take_string(*size, field);
}

SharedBytes Reader::bytes(Form form, const char* field) {
  const std::optional<std::size_t> size = length(form, Null::refused, field);
  return size ? take(*size) : SharedBytes();
}

std::optional<SharedBytes> Reader::nullable_bytes(Form form, Null null, const char* field) {
  const std::optional<std::size_t> size = length(form, null, field);
  if (!size) return std::nullopt;
  return take(*size);
}

BytesChain Reader::records(Form form, const char* field) { return BytesChain(bytes(form, field)); }

std::optional<BytesChain> Reader::nullable_records(Form form, Null null, const char* field) {
  const std::optional<std::size_t> size = length(form, null, field);
  if (!size) return std::nullopt;
  return BytesChain(take(*size));
}

SharedBytes Reader::raw(std::size_t size, const char* field) {
  if (size > remaining()) {
    fail(Problem::truncated, field, size);
    return {};
  }
  return take(size);
}

std::optional<std::size_t> Reader::nullable_array(Form form, Null null, ElementSize element,
                                                  const char* field) {
  const std::int64_t count =
      form == Form::compact ? std::int64_t{uvarint32(field)} - 1 : std::int64_t{int32(field)};
  if (!ok()) return std::nullopt;
  if (count < 0) {
    if (null == Null::refused) fail(Problem::null_refused, field, 0);
    return std::nullopt;
  }
  const auto size = static_cast<std::size_t>(count);
  if (size > remaining() / element.wire_min) {
    fail(Problem::count_too_large, field, size);
    return std::nullopt;
  }
  // Cannot overflow: a count is below 2^32 and an element's size is that of a C++ object.
  if (!charge(size * element.memory, field)) return std::nullopt;
  return size;
}

std::size_t Reader::array(Form form, ElementSize element, const char* field) {
  return nullable_array(form, Null::refused, element, field).value_or(0);
}

bool Reader::struct_present(Null null, const char* field) {
  const bool present = int8(field) >= 0 && ok();
  if (!present && null == Null::refused) fail(Problem::null_refused, field, 0);
  return present;
}

void Reader::skip_tagged_fields(const char* field) {
  for (TagReader tags(*this, field); tags.next();) tags.skip();
}

TagReader::TagReader(Reader& reader, const char* field)
    : reader_(reader), field_(field), left_(reader.uvarint32(field)), end_(reader.at_) {
  // A tagged field takes two bytes at least: its tag and its size.
  if (left_ > reader_.remaining() / 2) {
    reader_.fail(Reader::Problem::count_too_large, field_, left_);
    left_ = 0;
  }
}

bool TagReader::next() {
  if (!reader_.ok()) return false;
  if (reader_.at_ != end_) {
    reader_.fail(Reader::Problem::tag_size, field_, tag_);
    return false;
  }
  if (left_ == 0) return false;
  --left_;
  tag_ = reader_.uvarint32(field_);
  const std::uint32_t size = reader_.uvarint32(field_);
  if (!reader_.ok()) return false;
  if (size > reader_.remaining()) {
    reader_.fail(Reader::Problem::truncated, field_, size);
    return false;
  }
  end_ = reader_.at_ + size;
  return true;
}

void TagReader::skip() {
  if (reader_.ok()) reader_.at_ = end_;
}

}  // namespace weir::serial
