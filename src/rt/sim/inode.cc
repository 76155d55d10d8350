#include "rt/sim/inode.h"

#include <algorithm>

#include "rt/sim/limits.h"

namespace weir::rt::sim {

namespace {

/// Copies one sector, as far as both sides reach.
void copy_sector(const std::vector<std::byte>& from, std::vector<std::byte>& to,
                 std::size_t sector) {
  std::size_t begin = sector * kSectorBytes;
  std::size_t end = std::min({from.size(), to.size(), begin + kSectorBytes});
  if (begin >= end) return;
  std::memcpy(std::span(to).subspan(begin).data(), std::span(from).subspan(begin).data(),
              end - begin);
}

}  // namespace

std::size_t SimInode::read(std::uint64_t offset, MutableBytes into) const {
  if (offset >= data_.size()) return 0;
  Bytes rest = Bytes(data_).subspan(offset);
  std::size_t count = std::min(rest.size(), into.size());
  if (count > 0) std::memcpy(into.data(), rest.data(), count);
  return count;
}

void SimInode::write(std::uint64_t offset, Bytes bytes) {
  if (bytes.empty()) return;
  if (offset + bytes.size() > data_.size()) resize(offset + bytes.size());
  std::memcpy(MutableBytes(data_).subspan(offset).data(), bytes.data(), bytes.size());
  mark_dirty(offset, offset + bytes.size());
}

void SimInode::resize(std::uint64_t size) {
  std::uint64_t before = data_.size();
  data_.resize(size);
  mark_dirty(std::min(before, size), std::max(before, size));
}

void SimInode::mark_dirty(std::uint64_t from, std::uint64_t to) {
  if (from == to) return;
  std::size_t last = (to - 1) / kSectorBytes;
  if (dirty_.size() <= last) dirty_.resize(last + 1);
  for (std::size_t sector = from / kSectorBytes; sector <= last; ++sector) dirty_[sector] = true;
}

void SimInode::sync() {
  durable_.resize(data_.size());
  for (std::size_t sector = 0; sector < dirty_.size(); ++sector) {
    if (dirty_[sector]) copy_sector(data_, durable_, sector);
  }
  dirty_.clear();
}

void SimInode::fail_sync(Random& random) {
  ++failed_syncs_;
  for (std::size_t sector = 0; sector < dirty_.size(); ++sector) {
    if (dirty_[sector] && random.below(2) == 0) dirty_[sector] = false;
  }
}

void SimInode::lose_power(Random& random) {
  std::uint64_t small = std::min(data_.size(), durable_.size());
  std::uint64_t large = std::max(data_.size(), durable_.size());
  std::uint64_t sizes[] = {data_.size(), durable_.size(),
                           small + (large > small ? random.below(large - small) : 0)};
  std::vector<std::byte> found = durable_;
  found.resize(sizes[random.below(3)]);
  for (std::size_t sector = 0; sector < dirty_.size(); ++sector) {
    if (dirty_[sector] && random.below(2) == 0) copy_sector(data_, found, sector);
  }
  data_ = durable_ = std::move(found);
  dirty_.clear();
  locks_.clear();
}

bool SimInode::try_lock(const void* holder, bool exclusive) {
  for (const Lock& lock : locks_) {
    if (lock.holder != holder && (lock.exclusive || exclusive)) return false;
  }
  unlock(holder);
  locks_.push_back({holder, exclusive});
  return true;
}

void SimInode::unlock(const void* holder) {
  std::erase_if(locks_, [holder](const Lock& lock) { return lock.holder == holder; });
}

}  // namespace weir::rt::sim
