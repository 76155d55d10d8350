// Reader: turns bytes of a peer into values, and cannot be made to misbehave by them.
//
// Every read is checked against the end of the input. The first problem is kept (sticky): it names
// the field and the place, later reads return zero values and consume nothing, so that decoders are
// straight code without a check per field. Counts are checked against the bytes that are left, and
// against a budget of memory, before anything is allocated.
//
// `bytes` and `records` are slices that keep the input's buffer alive: no byte of a record is
// copied. Strings are copied. The field names given must be string literals (kept as pointers).
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/ids.h"
#include "base/result.h"
#include "serial/form.h"
#include "serial/limits.h"

namespace weir::serial {

/// What one element of an array needs at least on the wire, and takes in memory.
struct ElementSize {
  std::size_t wire_min;
  std::size_t memory;
};

class Reader {
 public:
  explicit Reader(SharedBytes input, std::size_t decoded_bytes_max = kDecodedBytesMax)
      : input_(std::move(input)), view_(input_.view()), memory_left_(decoded_bytes_max) {}

  bool ok() const { return problem_ == Problem::none; }
  /// Meaningful when not `ok()`: `corrupt`, `too_large` or `unsupported`, with field and offset.
  Error error() const;
  std::size_t position() const { return at_; }
  std::size_t remaining() const { return view_.size() - at_; }
  /// The input must end here; trailing bytes are an error. Returns ok().
  bool expect_end();

  bool boolean(const char* field) { return fixed<std::uint8_t>(field) != 0; }
  std::int8_t int8(const char* field) { return fixed<std::int8_t>(field); }
  std::int16_t int16(const char* field) { return fixed<std::int16_t>(field); }
  std::int32_t int32(const char* field) { return fixed<std::int32_t>(field); }
  std::int64_t int64(const char* field) { return fixed<std::int64_t>(field); }
  std::uint16_t uint16(const char* field) { return fixed<std::uint16_t>(field); }
  std::uint32_t uint32(const char* field) { return fixed<std::uint32_t>(field); }
  double float64(const char* field) { return std::bit_cast<double>(fixed<std::uint64_t>(field)); }
  Uuid uuid(const char* field);

  /// Zigzag, at most 5 and 10 bytes.
  std::int32_t varint(const char* field);
  std::int64_t varlong(const char* field);
  /// Unsigned, at most 5 and 10 bytes; bits beyond the type are an error.
  std::uint32_t uvarint32(const char* field);
  std::uint64_t uvarint(const char* field);

  /// A null where none is allowed is an error.
  std::string string(Form form, const char* field);
  std::optional<std::string> nullable_string(Form form, Null null, const char* field);
  SharedBytes bytes(Form form, const char* field);
  std::optional<SharedBytes> nullable_bytes(Form form, Null null, const char* field);
  BytesChain records(Form form, const char* field);
  std::optional<BytesChain> nullable_records(Form form, Null null, const char* field);
  /// The next `size` bytes, as they are.
  SharedBytes raw(std::size_t size, const char* field);

  /// Number of elements that follow. 0 after an error, so loops end.
  std::size_t array(Form form, ElementSize element, const char* field);
  /// As `array`; nothing for null.
  std::optional<std::size_t> nullable_array(Form form, Null null, ElementSize element,
                                            const char* field);
  /// The byte before a nullable struct: whether it follows.
  bool struct_present(Null null, const char* field);

  /// Passes over a section of tagged fields that holds none we know.
  void skip_tagged_fields(const char* field);

  /// For decoders: the version is not one that the message has.
  void fail_version(const char* message, std::int16_t version);
  /// For code that interprets what it read: `field` holds a value that cannot be.
  void fail_value(const char* field);

 private:
  friend class TagReader;
  enum class Problem : unsigned char {
    none,
    truncated,
    bad_varint,
    null_refused,
    count_too_large,
    string_too_long,
    memory,
    tag_size,
    trailing,
    version,
    value,
  };

  template <std::integral T>
  T fixed(const char* field) {
    if (remaining() < sizeof(T)) [[unlikely]] {
      fail(Problem::truncated, field, sizeof(T));
      return T{};
    }
    T value;
    std::memcpy(&value, view_.data() + at_, sizeof(T));
    at_ += sizeof(T);
    return std::byteswap(value);
  }
  void fail(Problem problem, const char* field, std::uint64_t detail);
  bool charge(std::size_t bytes, const char* field);
  /// Length of a field in bytes, checked against what is left; nothing for null.
  std::optional<std::size_t> length(Form form, Null null, const char* field);
  std::optional<std::size_t> string_length(Form form, Null null, const char* field);
  std::string take_string(std::size_t size, const char* field);
  SharedBytes take(std::size_t size);

  SharedBytes input_;
  Bytes view_;
  std::size_t at_ = 0;
  std::size_t memory_left_;
  Problem problem_ = Problem::none;
  const char* problem_field_ = "";
  std::size_t problem_at_ = 0;
  std::uint64_t problem_detail_ = 0;
};

/// Walks a section of tagged fields: `for (TagReader tags(r, "X"); tags.next();) switch
/// (tags.tag())`, with `tags.skip()` for the unknown ones. A known field must use exactly the size
/// it declared.
class TagReader {
 public:
  TagReader(Reader& reader, const char* field);
  bool next();
  std::uint32_t tag() const { return tag_; }
  void skip();

 private:
  Reader& reader_;
  const char* field_;
  std::uint32_t left_;
  std::uint32_t tag_ = 0;
  std::size_t end_;
};

}  // namespace weir::serial
