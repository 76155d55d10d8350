#include "base/bytes.h"

#include <new>

#include "base/memory_pool.h"

namespace weir {

Buffer Buffer::make(std::size_t size, MemoryPool* pool) {
  void* memory = ::operator new(sizeof(Block) + size);
  auto* block = new (memory) Block;
  block->size = size;
  block->pool.store(pool, std::memory_order_relaxed);
  return Buffer(block);
}

Buffer Buffer::copy_of(Bytes bytes) {
  Buffer buffer = make(bytes.size());
  if (!bytes.empty()) std::memcpy(buffer.data().data(), bytes.data(), bytes.size());
  return buffer;
}

void Buffer::move_to(MemoryPool& pool) const {
  if (!block_) return;
  MemoryPool* before = block_->pool.load(std::memory_order_relaxed);
  if (before == &pool) return;
  pool.reserve_above_limit(block_->size);
  block_->pool.store(&pool, std::memory_order_relaxed);
  if (before) before->release(block_->size);
}

void Buffer::release() {
  if (!block_) return;
  if (block_->references.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  if (MemoryPool* pool = block_->pool.load(std::memory_order_relaxed)) pool->release(block_->size);
  block_->~Block();
  ::operator delete(block_);
}

std::vector<Bytes> BytesChain::views() const {
  std::vector<Bytes> views;
  views.reserve(parts_.size());
  for (const SharedBytes& part : parts_) views.push_back(part.view());
  return views;
}

SharedBytes BytesChain::flatten() const {
  if (parts_.empty()) return {};
  if (parts_.size() == 1) return parts_.front();
  Buffer buffer = Buffer::make(size_);
  std::size_t at = 0;
  for (const SharedBytes& part : parts_) {
    std::memcpy(buffer.data().data() + at, part.view().data(), part.size());
    at += part.size();
  }
  return buffer;
}

std::string to_hex(Bytes bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  text.reserve(bytes.size() * 2);
  for (std::byte b : bytes) {
    text.push_back(kDigits[std::to_integer<unsigned>(b) >> 4]);
    text.push_back(kDigits[std::to_integer<unsigned>(b) & 15]);
  }
  return text;
}

}  // namespace weir
