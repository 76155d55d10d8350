// gzip (RFC 1952) over zlib. A stream may consist of several members (what `cat a.gz b.gz` gives),
// which Java's reader joins, so we do too.
#define ZLIB_CONST
#include <zlib.h>

#include "base/narrow.h"
#include "codec/codec.h"
#include "codec/formats.h"
#include "codec/output.h"

namespace weir::codec {
namespace {

// zlib's windowBits: the largest window, 16 more for "gzip header and trailer, nothing else".
constexpr int kWindowBits = 15 + 16;

struct Inflater {
  z_stream stream{};
  bool ready = inflateInit2(&stream, kWindowBits) == Z_OK;

  Inflater() = default;
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() {
    if (ready) inflateEnd(&stream);
  }
};

struct Deflater {
  z_stream stream{};
  bool ready;

  explicit Deflater(int level)
      : ready(deflateInit2(&stream, level, Z_DEFLATED, kWindowBits, MAX_MEM_LEVEL - 1,
                           Z_DEFAULT_STRATEGY) == Z_OK) {}
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;
  ~Deflater() {
    if (ready) deflateEnd(&stream);
  }
};

const Bytef* as_zlib(Bytes bytes) { return reinterpret_cast<const Bytef*>(bytes.data()); }
Bytef* as_zlib(MutableBytes bytes) { return reinterpret_cast<Bytef*>(bytes.data()); }

}  // namespace

Result<Buffer> gzip_decompress(Bytes input, std::size_t size_max) {
  Inflater inflater;
  if (!inflater.ready) return fail(ErrorCode::internal, "zlib: inflateInit2 failed");
  z_stream& stream = inflater.stream;
  stream.next_in = as_zlib(input);
  stream.avail_in = narrow<uInt>(input.size());
  BoundedOutput output(input.size(), 0, size_max);
  while (true) {
    MutableBytes room = output.room();
    stream.next_out = as_zlib(room);
    stream.avail_out = narrow<uInt>(room.size());
    int outcome = inflate(&stream, Z_NO_FLUSH);
    output.advance(room.size() - stream.avail_out);
    if (output.over_limit()) return output.too_large();
    if (outcome == Z_STREAM_END) {
      if (stream.avail_in == 0) return std::move(output).finish();
      if (inflateReset(&stream) != Z_OK) return fail(ErrorCode::internal, "zlib: inflateReset");
    } else if (outcome == Z_BUF_ERROR) {
      // No progress although there was room: the input ended inside a member.
      return fail(ErrorCode::corrupt, "gzip: the data is cut off");
    } else if (outcome != Z_OK) {
      return fail(ErrorCode::corrupt,
                  std::string("gzip: ") + (stream.msg ? stream.msg : "bad data"));
    }
  }
}

Result<Buffer> gzip_compress(Bytes input, int level) {
  Deflater deflater(level == level_default ? Z_DEFAULT_COMPRESSION : level);
  if (!deflater.ready) return fail(ErrorCode::internal, "zlib: deflateInit2 failed");
  z_stream& stream = deflater.stream;
  Buffer output = Buffer::make(deflateBound(&stream, narrow<uLong>(input.size())));
  stream.next_in = as_zlib(input);
  stream.avail_in = narrow<uInt>(input.size());
  stream.next_out = as_zlib(output.data());
  stream.avail_out = narrow<uInt>(output.size());
  if (deflate(&stream, Z_FINISH) != Z_STREAM_END)
    return fail(ErrorCode::internal, "zlib: deflate did not finish in its own bound");
  return Buffer::copy_of(Bytes(output.data()).first(output.size() - stream.avail_out));
}

}  // namespace weir::codec
