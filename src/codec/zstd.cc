// zstd (RFC 8878). Several frames, and skippable ones, are joined, as by Java's reader.
#include <zstd.h>

#include <memory>
#include <string>

#include "codec/codec.h"
#include "codec/formats.h"
#include "codec/output.h"

namespace weir::codec {
namespace {

using Decompressor = std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)>;
using Compressor = std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)>;

std::string describe_zstd(std::size_t code) {
  return std::string("zstd: ") + ZSTD_getErrorName(code);
}

// The content size that the first frame states, 0 if none (Java's writer streams and states none).
std::size_t claimed_size(Bytes input) {
  unsigned long long size = ZSTD_getFrameContentSize(input.data(), input.size());
  if (size == ZSTD_CONTENTSIZE_UNKNOWN || size == ZSTD_CONTENTSIZE_ERROR) return 0;
  return std::min<unsigned long long>(size, limits::output_bytes_max);
}

}  // namespace

Result<Buffer> zstd_decompress(Bytes input, std::size_t size_max) {
  if (input.empty()) return fail(ErrorCode::corrupt, "zstd: no frame");
  Decompressor context(ZSTD_createDCtx(), &ZSTD_freeDCtx);
  if (!context || ZSTD_isError(ZSTD_DCtx_setParameter(context.get(), ZSTD_d_windowLogMax,
                                                      limits::zstd_window_log_max)))
    return fail(ErrorCode::internal, "zstd: no context");
  BoundedOutput output(input.size(), claimed_size(input), size_max);
  ZSTD_inBuffer in{input.data(), input.size(), 0};
  while (true) {
    MutableBytes room = output.room();
    ZSTD_outBuffer out{room.data(), room.size(), 0};
    std::size_t consumed_before = in.pos;
    std::size_t outcome = ZSTD_decompressStream(context.get(), &out, &in);
    if (ZSTD_isError(outcome)) return fail(ErrorCode::corrupt, describe_zstd(outcome));
    output.advance(out.pos);
    if (output.over_limit()) return output.too_large();
    // 0: a frame ended and all of it is written.
    if (outcome == 0 && in.pos == in.size) return std::move(output).finish();
    if (outcome != 0 && out.pos == 0 && in.pos == consumed_before)
      return fail(ErrorCode::corrupt, "zstd: the data is cut off");
  }
}

Result<Buffer> zstd_compress(Bytes input, int level) {
  Compressor context(ZSTD_createCCtx(), &ZSTD_freeCCtx);
  if (!context) return fail(ErrorCode::internal, "zstd: no context");
  int effective = level == level_default ? ZSTD_CLEVEL_DEFAULT : level;
  Buffer output = Buffer::make(ZSTD_compressBound(input.size()));
  std::size_t size = ZSTD_compressCCtx(context.get(), output.data().data(), output.size(),
                                       input.data(), input.size(), effective);
  if (ZSTD_isError(size)) return fail(ErrorCode::internal, describe_zstd(size));
  return Buffer::copy_of(Bytes(output.data()).first(size));
}

}  // namespace weir::codec
