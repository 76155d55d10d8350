// The formats behind `codec.h`, one file each. Private to this layer.
//
// Whoever calls has checked the length of the input, `size_max`, and the level.
#pragma once

#include "base/bytes.h"
#include "base/result.h"

namespace weir::codec {

Result<Buffer> gzip_decompress(Bytes input, std::size_t size_max);
Result<Buffer> gzip_compress(Bytes input, int level);
Result<Buffer> snappy_decompress(Bytes input, std::size_t size_max);
Result<Buffer> snappy_compress(Bytes input);
Result<Buffer> lz4_decompress(Bytes input, std::size_t size_max);
Result<Buffer> lz4_compress(Bytes input, int level);
Result<Buffer> zstd_decompress(Bytes input, std::size_t size_max);
Result<Buffer> zstd_compress(Bytes input, int level);

}  // namespace weir::codec
