#include "state/meta.h"

namespace weir::state {

Hash128 Meta::hash() const {
  if (!live()) return {};
  HashWords snapshots;
  for (const NotedSnapshot& noted : values_.noted_snapshots) {
    HashWords words;
    words.add(noted.position.value).add(noted.writer).add(noted.counter).add(noted.digest);
    words.add(noted.bytes).add(noted.noted_at.value);
    snapshots.add(words.finish(UnitKind::meta));
  }
  HashWords words;
  words.add(values_.position->value).add(values_.nonce).add(std::string_view(values_.cluster_id));
  words.add(values_.created_ms).add(std::uint64_t{values_.level.value});
  words.add(values_.next_producer_id).add(values_.next_object).add(values_.producer_uses);
  words.add(std::int64_t{values_.placement_epoch.value}).add(values_.last_forget.value);
  words.add(values_.horizon.value).add(snapshots.finish(UnitKind::meta));
  return words.finish(UnitKind::meta);
}

}  // namespace weir::state
