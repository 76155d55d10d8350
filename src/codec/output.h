// BoundedOutput: where a streaming decompressor writes when it cannot know how much will come.
//
// Starts small and doubles, so memory is at most twice the output plus a constant, however much the
// input claims. Holds one byte more than `size_max`: that this byte was needed is how "too large"
// is told from "exactly full". Owned by one call.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>

#include "base/bytes.h"
#include "base/result.h"
#include "codec/limits.h"

namespace weir::codec {

class BoundedOutput {
 public:
  /// `claimed` is what the format says about its length, 0 if nothing.
  BoundedOutput(std::size_t input_size, std::size_t claimed, std::size_t size_max)
      : size_max_(size_max) {
    std::size_t believed =
        std::max(limits::output_bytes_first, input_size * limits::output_ratio_believed);
    std::size_t first = claimed == 0 ? limits::output_bytes_first : claimed + 1;
    buffer_ = Buffer::make(std::min({first, believed, size_max + 1}));
  }

  /// Never empty, unless the limit is passed.
  MutableBytes room() {
    if (size_ == buffer_.size() && size_ <= size_max_) grow();
    return buffer_.data().subspan(size_);
  }
  /// `bytes` of the room were written.
  void advance(std::size_t bytes) {
    ENSURE(bytes <= buffer_.size() - size_);
    size_ += bytes;
  }
  bool over_limit() const { return size_ > size_max_; }

  std::unexpected<Error> too_large() const {
    return fail(ErrorCode::too_large,
                "decompressed data is longer than " + std::to_string(size_max_));
  }
  Buffer finish() && {
    if (size_ == buffer_.size()) return std::move(buffer_);
    return Buffer::copy_of(Bytes(buffer_.data()).first(size_));
  }

 private:
  void grow() {
    Buffer larger = Buffer::make(std::min(std::max<std::size_t>(size_ * 2, 1), size_max_ + 1));
    if (size_ != 0) std::memcpy(larger.data().data(), buffer_.data().data(), size_);
    buffer_ = std::move(larger);
  }

  std::size_t size_max_;
  std::size_t size_ = 0;
  Buffer buffer_;
};

}  // namespace weir::codec
