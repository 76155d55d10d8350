// GatherCursor: how far a scatter/gather write has come.
//
// Kernel calls take a limited number of parts and may stop anywhere, also in the middle of a part.
// The cursor cuts the next piece and moves on by what was taken.
#pragma once

#include <sys/uio.h>

#include <array>
#include <span>

#include "base/bytes.h"
#include "rt/asio/limits.h"

namespace weir::rt::asio {

class GatherCursor {
 public:
  explicit GatherCursor(std::span<const Bytes> parts) : parts_(parts) { skip_empty(); }

  bool done() const { return index_ == parts_.size(); }
  /// Fills `vector` with what comes next; returns how many entries. At least one unless done.
  std::size_t next(std::array<iovec, kVectorPartsMax>& vector) const;
  /// `bytes` were written.
  void advance(std::size_t bytes);

 private:
  void skip_empty() {
    while (index_ < parts_.size() && parts_[index_].size() == offset_) {
      ++index_;
      offset_ = 0;
    }
  }

  std::span<const Bytes> parts_;
  std::size_t index_ = 0;
  std::size_t offset_ = 0;
};

}  // namespace weir::rt::asio
