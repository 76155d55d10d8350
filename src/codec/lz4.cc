// lz4 in its frame format, which Kafka uses since message format 1. Several frames are joined.
//
// Java's reader takes only independent blocks and no dictionary, so that is what is written: blocks
// of 64 KiB, no checksum of the content (the batch has one).
#include <lz4frame.h>

#include <algorithm>
#include <string>

#include "codec/codec.h"
#include "codec/formats.h"
#include "codec/output.h"

namespace weir::codec {
namespace {

struct Decompressor {
  LZ4F_dctx* context = nullptr;
  bool ready = !LZ4F_isError(LZ4F_createDecompressionContext(&context, LZ4F_VERSION));

  Decompressor() = default;
  Decompressor(const Decompressor&) = delete;
  Decompressor& operator=(const Decompressor&) = delete;
  ~Decompressor() {
    if (ready) LZ4F_freeDecompressionContext(context);
  }
};

std::string describe_lz4(std::size_t code) {
  return std::string("lz4: ") + LZ4F_getErrorName(code);
}

}  // namespace

Result<Buffer> lz4_decompress(Bytes input, std::size_t size_max) {
  Decompressor decompressor;
  if (!decompressor.ready) return fail(ErrorCode::internal, "lz4: no context");
  BoundedOutput output(input.size(), 0, size_max);
  if (input.empty()) return fail(ErrorCode::corrupt, "lz4: no frame");
  while (true) {
    MutableBytes room = output.room();
    std::size_t written = room.size();
    std::size_t consumed = input.size();
    std::size_t outcome = LZ4F_decompress(decompressor.context, room.data(), &written, input.data(),
                                          &consumed, nullptr);
    if (LZ4F_isError(outcome)) return fail(ErrorCode::corrupt, describe_lz4(outcome));
    output.advance(written);
    if (output.over_limit()) return output.too_large();
    input = input.subspan(consumed);
    // 0: a frame ended, and the context is ready for another.
    if (outcome == 0 && input.empty()) return std::move(output).finish();
    if (outcome != 0 && consumed == 0 && written == 0)
      return fail(ErrorCode::corrupt, "lz4: the data is cut off");
  }
}

Result<Buffer> lz4_compress(Bytes input, int level) {
  LZ4F_preferences_t preferences = LZ4F_INIT_PREFERENCES;
  static_assert(limits::lz4_block_bytes == 64 << 10);
  preferences.frameInfo.blockSizeID = LZ4F_max64KB;
  preferences.frameInfo.blockMode = LZ4F_blockIndependent;
  // Kafka's levels reach 17, the library's end at 12; its 0 is the fast compressor.
  preferences.compressionLevel =
      level == level_default ? 0 : std::min(level, LZ4F_compressionLevel_max());
  Buffer output = Buffer::make(LZ4F_compressFrameBound(input.size(), &preferences));
  std::size_t size = LZ4F_compressFrame(output.data().data(), output.size(), input.data(),
                                        input.size(), &preferences);
  if (LZ4F_isError(size)) return fail(ErrorCode::internal, describe_lz4(size));
  return Buffer::copy_of(Bytes(output.data()).first(size));
}

}  // namespace weir::codec
