#include "rt/asio/gather.h"

#include <algorithm>

namespace weir::rt::asio {

std::size_t GatherCursor::next(std::array<iovec, kVectorPartsMax>& vector) const {
  std::size_t count = 0;
  std::size_t offset = offset_;
  for (std::size_t i = index_; i < parts_.size() && count < vector.size(); ++i, offset = 0) {
    Bytes rest = parts_[i].subspan(offset);
    if (rest.empty()) continue;
    // The kernel does not write through it; iovec serves both directions.
    vector[count++] = {const_cast<std::byte*>(rest.data()), rest.size()};
  }
  return count;
}

void GatherCursor::advance(std::size_t bytes) {
  while (bytes > 0) {
    ENSURE(!done());
    std::size_t taken = std::min(bytes, parts_[index_].size() - offset_);
    offset_ += taken;
    bytes -= taken;
    skip_empty();
  }
}

}  // namespace weir::rt::asio
