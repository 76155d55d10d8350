// Writer: builds one byte string out of small values and large memory that others own.
//
// Small fields go into chunks of our own; record bytes are added by reference, so an answer of 50
// MB costs a few hundred bytes of writing. The first problem is kept (sticky) and names the field;
// what was written is then worthless and `finish` returns the error. Never aborts on a value, for
// values often come from a peer, a file or an older version.
//
// Field names must be string literals (kept as pointers).
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/bytes.h"
#include "base/ids.h"
#include "base/result.h"
#include "serial/form.h"
#include "serial/limits.h"

namespace weir::serial {

class Writer {
 public:
  Writer() = default;
  Writer(Writer&&) = default;
  Writer& operator=(Writer&&) = default;

  bool ok() const { return problem_ == Problem::none; }
  /// Meaningful when not `ok()`.
  Error error() const;
  /// Bytes written so far.
  std::size_t size() const { return chain_.size() + (used_ - sealed_); }
  /// All that was written; the writer is empty and usable afterwards.
  Result<BytesChain> finish();

  void boolean(bool value) { fixed<std::uint8_t>(value ? 1 : 0); }
  void int8(std::int8_t value) { fixed(value); }
  void int16(std::int16_t value) { fixed(value); }
  void int32(std::int32_t value) { fixed(value); }
  void int64(std::int64_t value) { fixed(value); }
  void uint16(std::uint16_t value) { fixed(value); }
  void uint32(std::uint32_t value) { fixed(value); }
  void float64(double value) { fixed(std::bit_cast<std::uint64_t>(value)); }
  void uuid(const Uuid& value) { raw(value.view()); }

  /// Zigzag.
  void varint(std::int32_t value);
  void varlong(std::int64_t value);
  void uvarint(std::uint64_t value);

  void string(Form form, std::string_view value, const char* field);
  void nullable_string(Form form, Null null, const std::optional<std::string>& value,
                       const char* field);
  /// Small values are copied, others added by reference.
  void bytes(Form form, const SharedBytes& value, const char* field);
  void nullable_bytes(Form form, Null null, const std::optional<SharedBytes>& value,
                      const char* field);
  /// Added by reference.
  void records(Form form, const BytesChain& value, const char* field);
  void nullable_records(Form form, Null null, const std::optional<BytesChain>& value,
                        const char* field);

  void array(Form form, std::size_t count, const char* field);
  /// Nothing stands for null.
  void nullable_array(Form form, Null null, std::optional<std::size_t> count, const char* field);
  void struct_present(Null null, bool present, const char* field);

  /// Number of tagged fields that follow, each begun by `tag`.
  void tag_count(std::uint32_t count) { uvarint(count); }
  /// A tagged field of known size; its content is written next.
  void tag(std::uint32_t number, std::size_t size);
  /// A tagged field whose content was written into a writer of its own.
  void tag(std::uint32_t number, Writer content);

  /// Copies bytes as they are.
  void raw(Bytes value);
  /// Adds bytes by reference: the memory is kept alive, not copied.
  void append_external(const SharedBytes& value);
  void append_external(const BytesChain& value);

  /// An int32 that is written now and filled in later: the length before a frame.
  class Placeholder {
    friend class Writer;
    Buffer chunk;
    std::size_t at = 0;
    std::size_t size_before = 0;
  };
  Placeholder begin_frame();
  /// Fills in the number of bytes written since `begin_frame`. Before `finish`.
  void end_frame(Placeholder& frame);

  /// For encoders: the version is not one that the message has.
  void fail_version(const char* message, std::int16_t version);
  /// For encoders: `field` holds a value that this version cannot carry.
  void fail_field(const char* field, std::int16_t version);

 private:
  enum class Problem : unsigned char { none, too_long, null_refused, version, field };

  template <std::integral T>
  void fixed(T value) {
    const T wire = std::byteswap(value);
    raw_small(&wire, sizeof wire);
  }
  void raw_small(const void* bytes, std::size_t size) {
    if (chunk_.size() - used_ < size) [[unlikely]]
      next_chunk();
    std::memcpy(chunk_.data().data() + used_, bytes, size);
    used_ += size;
  }
  /// At least 16 bytes of room afterwards.
  void next_chunk();
  void seal();
  void fail(Problem problem, const char* field, std::uint64_t detail);
  void length(Form form, std::size_t size, const char* field);
  void null_length(Form form, Null null, const char* field);

  BytesChain chain_;
  Buffer chunk_;
  std::size_t used_ = 0;
  std::size_t sealed_ = 0;
  Problem problem_ = Problem::none;
  const char* problem_field_ = "";
  std::uint64_t problem_detail_ = 0;
};

}  // namespace weir::serial
