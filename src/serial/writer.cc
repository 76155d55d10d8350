#include "serial/writer.h"

#include <algorithm>
#include <array>
#include <utility>

namespace weir::serial {

namespace {

/// Below this, adding by reference costs more (a part of the chain, a reference count, an iovec)
/// than copying.
constexpr std::size_t kExternalBytesMin = 128;

}  // namespace

void Writer::fail(Problem problem, const char* field, std::uint64_t detail) {
  if (!ok()) return;
  problem_ = problem;
  problem_field_ = field;
  problem_detail_ = detail;
}

Error Writer::error() const {
  const std::string field = problem_field_;
  const std::string detail = std::to_string(static_cast<std::int64_t>(problem_detail_));
  switch (problem_) {
    case Problem::none: return {ErrorCode::internal, "no encoding error"};
    case Problem::too_long:
      return {ErrorCode::too_large, field + ": " + detail + " are more than the format can say"};
    case Problem::null_refused:
      return {ErrorCode::unsupported, field + ": null is not allowed in this version"};
    case Problem::version: return {ErrorCode::unsupported, field + " has no version " + detail};
    case Problem::field:
      return {ErrorCode::unsupported, field + " holds a value that version " + detail + " lacks"};
  }
  return {ErrorCode::internal, "unknown encoding error"};
}

Result<BytesChain> Writer::finish() {
  seal();
  Writer done = std::exchange(*this, Writer());
  if (!done.ok()) return std::unexpected(done.error());
  return std::move(done.chain_);
}

void Writer::seal() {
  if (used_ == sealed_) return;
  chain_.append(SharedBytes(chunk_).slice(sealed_, used_ - sealed_));
  sealed_ = used_;
}

void Writer::next_chunk() {
  seal();
  chunk_ = Buffer::make(std::clamp(chunk_.size() * 2, kChunkBytesMin, kChunkBytesMax));
  used_ = 0;
  sealed_ = 0;
}

void Writer::raw(Bytes value) {
  while (!value.empty()) {
    if (used_ == chunk_.size()) next_chunk();
    const std::size_t size = std::min(value.size(), chunk_.size() - used_);
    std::memcpy(chunk_.data().data() + used_, value.data(), size);
    used_ += size;
    value = value.subspan(size);
  }
}

void Writer::append_external(const SharedBytes& value) {
  if (value.size() < kExternalBytesMin) return raw(value.view());
  seal();
  chain_.append(value);
}

void Writer::append_external(const BytesChain& value) {
  for (const SharedBytes& part : value.parts()) append_external(part);
}

void Writer::uvarint(std::uint64_t value) {
  std::array<std::uint8_t, 10> bytes;
  std::size_t size = 0;
  for (; value >= 0x80; value >>= 7) bytes[size++] = static_cast<std::uint8_t>(value | 0x80);
  bytes[size++] = static_cast<std::uint8_t>(value);
  raw_small(bytes.data(), size);
}

void Writer::varlong(std::int64_t value) {
  uvarint((static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63));
}

void Writer::varint(std::int32_t value) {
  uvarint((static_cast<std::uint32_t>(value) << 1) ^ static_cast<std::uint32_t>(value >> 31));
}

void Writer::length(Form form, std::size_t size, const char* field) {
  if (size > kFieldBytesMax) return fail(Problem::too_long, field, size);
  if (form == Form::compact) {
    uvarint(size + 1);
  } else {
    int32(static_cast<std::int32_t>(size));
  }
}

void Writer::null_length(Form form, Null null, const char* field) {
  if (null == Null::refused) return fail(Problem::null_refused, field, 0);
  if (form == Form::compact) {
    uvarint(0);
  } else {
    int32(-1);
  }
}

void Writer::string(Form form, std::string_view value, const char* field) {
  if (value.size() > kStringBytesMax) return fail(Problem::too_long, field, value.size());
  if (form == Form::compact) {
    uvarint(value.size() + 1);
  } else {
    int16(static_cast<std::int16_t>(value.size()));
  }
  raw(as_bytes(value));
}

void Writer::nullable_string(Form form, Null null, const std::optional<std::string>& value,
                             const char* field) {
  if (value) return string(form, *value, field);
  if (null == Null::refused) return fail(Problem::null_refused, field, 0);
  if (form == Form::compact) {
    uvarint(0);
  } else {
    int16(-1);
  }
}

void Writer::bytes(Form form, const SharedBytes& value, const char* field) {
  length(form, value.size(), field);
  append_external(value);
}

void Writer::nullable_bytes(Form form, Null null, const std::optional<SharedBytes>& value,
                            const char* field) {
  if (value) return bytes(form, *value, field);
  null_length(form, null, field);
}

void Writer::records(Form form, const BytesChain& value, const char* field) {
  length(form, value.size(), field);
  append_external(value);
}

void Writer::nullable_records(Form form, Null null, const std::optional<BytesChain>& value,
                              const char* field) {
  if (value) return records(form, *value, field);
  null_length(form, null, field);
}

void Writer::array(Form form, std::size_t count, const char* field) { length(form, count, field); }

void Writer::nullable_array(Form form, Null null, std::optional<std::size_t> count,
                            const char* field) {
  if (count) return array(form, *count, field);
  null_length(form, null, field);
}

void Writer::struct_present(Null null, bool present, const char* field) {
  if (!present && null == Null::refused) return fail(Problem::null_refused, field, 0);
  int8(present ? 1 : -1);
}

void Writer::tag(std::uint32_t number, std::size_t size) {
  uvarint(number);
  uvarint(size);
}

void Writer::tag(std::uint32_t number, Writer content) {
  if (!content.ok()) return fail(content.problem_, content.problem_field_, content.problem_detail_);
  tag(number, content.size());
  content.seal();
  append_external(content.chain_);
}

Writer::Placeholder Writer::begin_frame() {
  if (chunk_.size() - used_ < sizeof(std::int32_t)) next_chunk();
  Placeholder frame;
  frame.chunk = chunk_;
  frame.at = used_;
  int32(0);
  frame.size_before = size();
  return frame;
}

void Writer::end_frame(Placeholder& frame) {
  const std::size_t bytes = size() - frame.size_before;
  if (bytes > kFieldBytesMax) return fail(Problem::too_long, "frame", bytes);
  const std::int32_t wire = std::byteswap(static_cast<std::int32_t>(bytes));
  std::memcpy(frame.chunk.data().data() + frame.at, &wire, sizeof wire);
}

void Writer::fail_version(const char* message, std::int16_t version) {
  fail(Problem::version, message, static_cast<std::uint64_t>(std::int64_t{version}));
}

void Writer::fail_field(const char* field, std::int16_t version) {
  fail(Problem::field, field, static_cast<std::uint64_t>(std::int64_t{version}));
}

}  // namespace weir::serial
