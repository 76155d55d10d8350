// Etag: names the bytes of an object by their content, as S3 does.
//
// Used by the drivers that have no version of their own (memory, file). Equal bytes have equal
// etags however they were cut into parts; whoever compares and swaps puts a nonce into the body.
#pragma once

#include <string>

#include "base/bytes.h"
#include "base/hash.h"

namespace weir::objstore {

class EtagHasher {
 public:
  void add(Bytes bytes);
  std::string finish();

 private:
  static constexpr std::size_t kBlockBytes = 64u << 10;
  void mix(Bytes block);

  Hash128 sum_;
  std::uint64_t size_ = 0;
  std::uint64_t blocks_ = 0;
  /// The beginning of a block that the parts so far did not fill.
  std::string pending_;
};

std::string etag_of(Bytes bytes);
std::string etag_of(const BytesChain& chain);

}  // namespace weir::objstore
