#include "engine/cache.h"

namespace weir::engine {

RegionKey RegionKey::of(const state::ObjectRef& object, std::uint64_t first_byte) {
  if (object.is_inline) return {object.position.value, object.nonce_tag, ~0ull, first_byte};
  return {object.born.value, object.writer.low64(), object.counter, first_byte};
}

std::size_t RegionKeyHash::operator()(const RegionKey& key) const noexcept {
  std::uint64_t h = key.position * 0x9e3779b97f4a7c15u;
  h = (h ^ key.tag) * 0xd6e8feb86659fd93u;
  h = (h ^ key.counter ^ (h >> 31)) * 0x9e3779b97f4a7c15u;
  return (h ^ key.first_byte ^ (h >> 29)) * 0xd6e8feb86659fd93u;
}

Cache::Cache(MemoryPool& pool, Metrics& metrics)
    : pool_(pool),
      hits_(metrics.counter("weir_cache_hits_total", "Regions that a fetch found in memory")),
      misses_(metrics.counter("weir_cache_misses_total",
                              "Regions that a fetch did not find in memory")),
      evictions_(metrics.counter("weir_cache_evictions_total",
                                 "Regions that left the cache for lack of room")) {}

Cache::~Cache() {
  for (const List* queue : {&tail_, &catch_up_})
    for (const Region& region : *queue) pool_.release(held_for(region));
}

void Cache::insert(const RegionKey& key, BytesChain region, Age age) {
  for (const SharedBytes& part : region.parts()) part.move_to(pool_);
  auto found = regions_.find(key);
  if (found != regions_.end()) remove(found->second);
  List& queue = queue_of(age);
  queue.push_front({key, std::move(region), age});
  pool_.reserve_above_limit(held_for(queue.front()));
  if (age == Age::catch_up) catch_up_bytes_ += bytes_with(queue.front());
  regions_.emplace(key, queue.begin());
  evict_to_budget();
}

const BytesChain* Cache::peek(const RegionKey& key) const {
  auto found = regions_.find(key);
  return found == regions_.end() ? nullptr : &found->second->bytes;
}

const BytesChain* Cache::find(const RegionKey& key) {
  auto found = regions_.find(key);
  if (found == regions_.end()) {
    misses_.add();
    return nullptr;
  }
  hits_.add();
  return &found->second->bytes;
}

void Cache::evict_to_budget() {
  // A region may share its buffer with others (one request, many partitions), so evicting one may
  // free nothing yet.
  while (pool_.used() > pool_.bytes_max() && regions_.size() > 1) {
    bool from_catch_up =
        tail_.empty() || (catch_up_.size() > 1 && catch_up_bytes_ > catch_up_share());
    evict_oldest(from_catch_up ? catch_up_ : tail_);
  }
}

void Cache::evict_oldest(List& queue) {
  evictions_.add();
  remove(std::prev(queue.end()));
}

void Cache::remove(List::iterator region) {
  if (region->age == Age::catch_up) catch_up_bytes_ -= bytes_with(*region);
  pool_.release(held_for(*region));
  regions_.erase(region->key);
  queue_of(region->age).erase(region);
}

}  // namespace weir::engine
