#include "codec/codec.h"

#include <array>
#include <string>

#include "base/ensure.h"
#include "codec/formats.h"
#include "codec/limits.h"

namespace weir::codec {
namespace {

struct Levels {
  int first, last;
};

constexpr Levels levels_of(Codec codec) {
  switch (codec) {
    case Codec::gzip: return {1, 9};
    case Codec::lz4: return {1, 17};
    case Codec::zstd: return {-131072, 22};
    case Codec::none:
    case Codec::snappy: break;
  }
  return {0, -1};
}

constexpr std::array<std::string_view, 5> kNames = {"none", "gzip", "snappy", "lz4", "zstd"};

}  // namespace

std::string_view to_string(Codec codec) { return kNames.at(static_cast<std::size_t>(codec)); }

std::optional<Codec> codec_of_name(std::string_view name) {
  for (unsigned i = 0; i < kNames.size(); ++i)
    if (kNames[i] == name) return static_cast<Codec>(i);
  return std::nullopt;
}

std::optional<Codec> codec_of_attribute(unsigned bits) {
  if (bits >= kNames.size()) return std::nullopt;
  return static_cast<Codec>(bits);
}

bool level_valid(Codec codec, int level) {
  if (level == level_default || (codec == Codec::gzip && level == -1)) return true;
  Levels levels = levels_of(codec);
  return level >= levels.first && level <= levels.last;
}

Result<Buffer> decompress(Codec codec, Bytes input, std::size_t size_max) {
  ENSURE(size_max <= limits::output_bytes_max);
  if (input.size() > limits::input_bytes_max)
    return fail(ErrorCode::too_large, "compressed data is longer than 2 GiB");
  switch (codec) {
    case Codec::none:
      if (input.size() > size_max)
        return fail(ErrorCode::too_large, "data is longer than " + std::to_string(size_max));
      return Buffer::copy_of(input);
    case Codec::gzip: return gzip_decompress(input, size_max);
    case Codec::snappy: return snappy_decompress(input, size_max);
    case Codec::lz4: return lz4_decompress(input, size_max);
    case Codec::zstd: return zstd_decompress(input, size_max);
  }
  return fail(ErrorCode::unsupported, "unknown compression codec");
}

Result<Buffer> compress(Codec codec, Bytes input, int level) {
  if (!level_valid(codec, level))
    return fail(
        ErrorCode::invalid_argument,
        std::string(to_string(codec)) + " has no compression level " + std::to_string(level));
  if (input.size() > limits::input_bytes_max)
    return fail(ErrorCode::too_large, "data to compress is longer than 2 GiB");
  switch (codec) {
    case Codec::none: return Buffer::copy_of(input);
    case Codec::gzip: return gzip_compress(input, level);
    case Codec::snappy: return snappy_compress(input);
    case Codec::lz4: return lz4_compress(input, level);
    case Codec::zstd: return zstd_compress(input, level);
  }
  return fail(ErrorCode::unsupported, "unknown compression codec");
}

}  // namespace weir::codec
