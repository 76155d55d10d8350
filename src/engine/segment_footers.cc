#include "engine/segment_footers.h"

namespace weir::engine {

const std::vector<KnownRegion>* SegmentFooters::find(const state::ObjectRef& segment) {
  auto found = segments_.find(RegionKey::of(segment, 0));
  if (found == segments_.end()) return nullptr;
  recent_.splice(recent_.begin(), recent_, found->second);
  return &found->second->regions;
}

void SegmentFooters::insert(const state::ObjectRef& segment, std::vector<KnownRegion> regions) {
  RegionKey key = RegionKey::of(segment, 0);
  if (segments_.contains(key)) return;
  regions_ += regions.size();
  recent_.push_front({key, std::move(regions)});
  segments_.emplace(key, recent_.begin());
  while (regions_ > regions_max_ && recent_.size() > 1) {
    regions_ -= recent_.back().regions.size();
    segments_.erase(recent_.back().key);
    recent_.pop_back();
  }
}

}  // namespace weir::engine
