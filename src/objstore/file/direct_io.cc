#include "objstore/file/direct_io.h"

#include <algorithm>
#include <cstring>
#include <memory>

#include "base/narrow.h"
#include "objstore/limits.h"

namespace weir::objstore {
namespace {

using rt::kDirectBlockBytes;
static_assert(kFileStagingBytes % kDirectBlockBytes == 0);

/// How far into `memory` a direct transfer may begin; less than a block.
std::size_t lead_of(const Buffer& memory) {
  void* at = memory.data().data();
  std::size_t room = memory.size();
  ENSURE(std::align(kDirectBlockBytes, 1, at, room) != nullptr);
  return memory.size() - room;
}

/// Copies a chain out piece by piece.
class ChainReader {
 public:
  explicit ChainReader(const BytesChain& chain) : parts_(chain.parts()) {}

  /// Fills `into`; so much must be left.
  void fill(MutableBytes into) {
    while (!into.empty()) {
      Bytes rest = parts_[index_].view().subspan(offset_);
      std::size_t count = std::min(rest.size(), into.size());
      std::memcpy(into.data(), rest.data(), count);
      into = into.subspan(count);
      offset_ += count;
      if (count < rest.size()) continue;
      ++index_;
      offset_ = 0;
    }
  }

 private:
  const std::vector<SharedBytes>& parts_;
  std::size_t index_ = 0;
  std::size_t offset_ = 0;
};

Result<void> write_piece(rt::File& file, std::uint64_t offset, Bytes piece) {
  return file.write_at(offset, std::span(&piece, 1));
}

}  // namespace

StagingMemory::Loan::~Loan() {
  std::scoped_lock lock(owner_.mutex_);
  if (owner_.free_.size() < kFileStagingKeptMax) owner_.free_.push_back(std::move(buffer_));
}

MutableBytes StagingMemory::Loan::bytes() const {
  return buffer_.data().subspan(lead_of(buffer_), kFileStagingBytes);
}

StagingMemory::Loan StagingMemory::borrow() {
  {
    std::scoped_lock lock(mutex_);
    if (!free_.empty()) {
      Buffer buffer = std::move(free_.back());
      free_.pop_back();
      return {*this, std::move(buffer)};
    }
  }
  return {*this, Buffer::make(kFileStagingBytes + kDirectBlockBytes)};
}

Result<void> write_direct(rt::File& file, const BytesChain& body, MutableBytes staging) {
  ENSURE(staging.size() % kDirectBlockBytes == 0);
  WEIR_TRY(file.set_caching(rt::Caching::off));
  ChainReader reader(body);
  for (std::size_t at = 0; at < body.size();) {
    MutableBytes piece = staging.first(std::min(staging.size(), body.size() - at));
    reader.fill(piece);
    MutableBytes blocks = piece.first(piece.size() / kDirectBlockBytes * kDirectBlockBytes);
    if (!blocks.empty()) WEIR_TRY(write_piece(file, at, blocks));
    Bytes rest = piece.subspan(blocks.size());
    if (!rest.empty()) {
      WEIR_TRY(file.set_caching(rt::Caching::on));
      WEIR_TRY(write_piece(file, at + blocks.size(), rest));
    }
    at += piece.size();
  }
  return {};
}

Result<SharedBytes> read_direct(rt::File& file, std::uint64_t offset, std::size_t length) {
  WEIR_TRY(file.set_caching(rt::Caching::off));
  std::size_t before = narrow<std::size_t>(offset % kDirectBlockBytes);
  std::size_t blocks = (before + length + kDirectBlockBytes - 1) / kDirectBlockBytes;
  Buffer buffer = Buffer::make((blocks + 1) * kDirectBlockBytes);
  std::size_t lead = lead_of(buffer);
  Result<std::size_t> got =
      file.read_at(offset - before, buffer.data().subspan(lead, blocks * kDirectBlockBytes));
  if (!got) return std::unexpected(std::move(got).error());
  std::size_t found = std::min(*got - std::min(*got, before), length);
  return SharedBytes(std::move(buffer)).slice(lead + before, found);
}

Result<SharedBytes> read_cached(rt::File& file, std::uint64_t offset, std::size_t length) {
  Buffer buffer = Buffer::make(length);
  Result<std::size_t> got = file.read_at(offset, buffer.data());
  if (!got) return std::unexpected(std::move(got).error());
  return SharedBytes(std::move(buffer)).slice(0, *got);
}

}  // namespace weir::objstore
