// snappy: Kafka's Java clients wrap raw blocks in the framing of snappy-java ("xerial"); librdkafka
// and others send one raw block. Both are read; the framing is written, since all clients read it.
//
// Framing: magic 82 "SNAPPY" 00, version and lowest compatible version (int32 each), then blocks of
// {int32 length, raw block}. Streams may be joined: where a length is expected, a magic may stand.
// All integers are big-endian.
#include <snappy.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "base/endian.h"
#include "base/narrow.h"
#include "codec/formats.h"
#include "codec/limits.h"

namespace weir::codec {
namespace {

constexpr std::array<unsigned char, 8> kMagic = {0x82, 'S', 'N', 'A', 'P', 'P', 'Y', 0};
constexpr std::size_t kHeaderSize = 16;
constexpr std::size_t kLengthSize = 4;
constexpr std::int32_t kVersion = 1;

bool starts_with_magic(Bytes bytes) {
  return bytes.size() >= kMagic.size() &&
         std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) == 0;
}

std::unexpected<Error> corrupt(const char* what) {
  return fail(ErrorCode::corrupt, std::string("snappy: ") + what);
}

std::unexpected<Error> too_large(std::size_t size_max) {
  return fail(ErrorCode::too_large, "decompressed data is longer than " + std::to_string(size_max));
}

// What a raw block says its output is, if that is possible for its length and fits.
Result<std::size_t> block_output(Bytes block, std::size_t size_max) {
  std::size_t size = 0;
  if (!snappy::GetUncompressedLength(as_text(block).data(), block.size(), &size))
    return corrupt("a block has no length");
  if (size > block.size() * limits::snappy_ratio_max)
    return corrupt("a block claims more than snappy can hold");
  if (size > size_max) return too_large(size_max);
  return size;
}

// Walks the blocks of a framed stream.
class FramedBlocks {
 public:
  explicit FramedBlocks(Bytes input) : rest_(input) {}

  bool done() const { return rest_.empty(); }
  /// The next block; empty behind a header that starts a joined stream.
  Result<Bytes> next() {
    if (starts_with_magic(rest_)) return header();
    if (rest_.size() < kLengthSize) return corrupt("the data is cut off");
    auto length = load_be<std::int32_t>(rest_, 0);
    rest_ = rest_.subspan(kLengthSize);
    if (length <= 0) return corrupt("a block has no length");
    if (narrow<std::size_t>(length) > rest_.size()) return corrupt("the data is cut off");
    Bytes block = rest_.first(narrow<std::size_t>(length));
    rest_ = rest_.subspan(block.size());
    return block;
  }

 private:
  Result<Bytes> header() {
    if (rest_.size() < kHeaderSize) return corrupt("the data is cut off");
    if (load_be<std::int32_t>(rest_, kMagic.size()) < kVersion)
      return corrupt("unknown version of the framing");
    rest_ = rest_.subspan(kHeaderSize);
    return Bytes();
  }

  Bytes rest_;
};

Result<std::size_t> framed_output(Bytes input, std::size_t size_max) {
  std::size_t total = 0;
  for (FramedBlocks blocks(input); !blocks.done();) {
    auto block = blocks.next();
    if (!block) return std::unexpected(block.error());
    if (block->empty()) continue;
    auto size = block_output(*block, size_max - total);
    if (!size) return size;
    total += *size;
  }
  return total;
}

bool uncompress_block(Bytes block, MutableBytes output) {
  return snappy::RawUncompress(as_text(block).data(), block.size(),
                               reinterpret_cast<char*>(output.data()));
}

}  // namespace

Result<Buffer> snappy_decompress(Bytes input, std::size_t size_max) {
  if (!starts_with_magic(input)) {
    auto size = block_output(input, size_max);
    if (!size) return std::unexpected(size.error());
    Buffer output = Buffer::make(*size);
    if (!uncompress_block(input, output.data())) return corrupt("a block is damaged");
    return output;
  }
  auto total = framed_output(input, size_max);
  if (!total) return std::unexpected(total.error());
  Buffer output = Buffer::make(*total);
  MutableBytes room = output.data();
  for (FramedBlocks blocks(input); !blocks.done();) {
    Bytes block = *blocks.next();
    if (block.empty()) continue;
    std::size_t size = *block_output(block, room.size());
    if (!uncompress_block(block, room.first(size))) return corrupt("a block is damaged");
    room = room.subspan(size);
  }
  ENSURE(room.empty());
  return output;
}

Result<Buffer> snappy_compress(Bytes input) {
  constexpr std::size_t kBlock = limits::xerial_block_bytes;
  std::size_t blocks = (input.size() + kBlock - 1) / kBlock;
  std::size_t block_max = kLengthSize + snappy::MaxCompressedLength(kBlock);
  Buffer output = Buffer::make(kHeaderSize + blocks * block_max);
  MutableBytes room = output.data();
  std::memcpy(room.data(), kMagic.data(), kMagic.size());
  store_be<std::int32_t>(room, kMagic.size(), kVersion);
  store_be<std::int32_t>(room, kMagic.size() + 4, kVersion);
  std::size_t at = kHeaderSize;
  while (!input.empty()) {
    Bytes block = input.first(std::min(input.size(), kBlock));
    std::size_t size = 0;
    MutableBytes target = room.subspan(at + kLengthSize);
    snappy::RawCompress(as_text(block).data(), block.size(), reinterpret_cast<char*>(target.data()),
                        &size);
    store_be<std::int32_t>(room, at, narrow<std::int32_t>(size));
    at += kLengthSize + size;
    input = input.subspan(block.size());
  }
  return Buffer::copy_of(Bytes(room).first(at));
}

}  // namespace weir::codec
