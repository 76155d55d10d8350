#include "objstore/etag.h"

#include <algorithm>

namespace weir::objstore {

void EtagHasher::mix(Bytes block) { sum_ += hash128(block, ++blocks_); }

void EtagHasher::add(Bytes bytes) {
  size_ += bytes.size();
  if (!pending_.empty()) {
    std::size_t taken = std::min(kBlockBytes - pending_.size(), bytes.size());
    pending_.append(as_text(bytes.first(taken)));
    bytes = bytes.subspan(taken);
    if (pending_.size() < kBlockBytes) return;
    mix(as_bytes(pending_));
    pending_.clear();
  }
  for (; bytes.size() >= kBlockBytes; bytes = bytes.subspan(kBlockBytes))
    mix(bytes.first(kBlockBytes));
  pending_.append(as_text(bytes));
}

std::string EtagHasher::finish() {
  if (!pending_.empty()) mix(as_bytes(pending_));
  pending_.clear();
  std::uint64_t words[3] = {sum_.high, sum_.low, size_};
  return to_hex(std::as_bytes(std::span(words)));
}

std::string etag_of(Bytes bytes) {
  EtagHasher hasher;
  hasher.add(bytes);
  return hasher.finish();
}

std::string etag_of(const BytesChain& chain) {
  EtagHasher hasher;
  for (const SharedBytes& part : chain.parts()) hasher.add(part.view());
  return hasher.finish();
}

}  // namespace weir::objstore
