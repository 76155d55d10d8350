#include "objstore/etag.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace weir::objstore {

namespace {

using Lanes = std::array<std::uint64_t, 4>;
constexpr Lanes kLaneMix = {0x9e3779b97f4a7c15u, 0xd6e8feb86659fd93u, 0xa0761d6478bd642fu,
                            0xe7037ed1a0b428dbu};

/// Every object that is written passes through here, so it must cost little beside the copy into
/// the page cache: four chains of multiplications run side by side, where one of hash128 would wait
/// for itself. The result stays in this process; another program may compute other etags.
Hash128 hash_block(Bytes block, std::uint64_t number) {
  Lanes lanes{number, ~number, number, ~number};
  std::size_t at = 0;
  for (; block.size() - at >= sizeof(Lanes); at += sizeof(Lanes)) {
    Lanes words;
    std::memcpy(words.data(), block.subspan(at, sizeof(Lanes)).data(), sizeof(Lanes));
    for (std::size_t i = 0; i < lanes.size(); ++i) {
      unsigned __int128 product = static_cast<unsigned __int128>(lanes[i] ^ words[i]) * kLaneMix[i];
      lanes[i] = static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
    }
  }
  Hash128 rest = hash128(block.subspan(at), number);
  return hash128(std::as_bytes(std::span(lanes)), rest.low ^ rest.high);
}

}  // namespace

void EtagHasher::mix(Bytes block) { sum_ += hash_block(block, ++blocks_); }

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
