#include "state/resources/resource_table.h"

namespace weir::state {

Hash128 ResourceConfigs::hash() const {
  if (!live()) return {};
  Hash128 configs;
  for (const auto& [key, value] : configs_) {
    configs += HashWords()
                   .add(std::string_view(key))
                   .add(std::string_view(value))
                   .finish(UnitKind::resource_configs);
  }
  HashWords words;
  words.add(static_cast<std::int64_t>(key_.type)).add(std::string_view(key_.name));
  words.add(std::int64_t{version_}).add(configs);
  return words.finish(UnitKind::resource_configs);
}

const ResourceConfigs* ResourceTable::find(const ResourceKey& key) const {
  auto at = all_.find(key);
  return at == all_.end() ? nullptr : &at->second;
}

std::int32_t ResourceTable::last_version() const {
  const ResourceConfigs* counter = find({});
  return counter == nullptr ? 0 : counter->version();
}

std::int32_t ResourceTable::set(Ledger& ledger, const ResourceKey& key, ConfigMap configs) {
  const std::int32_t version = last_version() + 1;
  ledger.edit(all_[{}],
              [&](ResourceConfigs& unit, EditKey edit) { unit.set(edit, {}, {}, version); });
  const bool gone = configs.empty();
  auto at = all_.try_emplace(key).first;
  ledger.edit(at->second, [&](ResourceConfigs& unit, EditKey edit) {
    unit.set(edit, key, std::move(configs), gone ? 0 : version);
  });
  if (gone) all_.erase(at);
  return gone ? 0 : version;
}

bool ResourceTable::restore(Ledger& ledger, const ResourceKey& key, ConfigMap configs,
                            std::int32_t version) {
  auto [at, added] = all_.try_emplace(key);
  if (!added) return false;
  ledger.edit(at->second, [&](ResourceConfigs& unit, EditKey edit) {
    unit.set(edit, key, std::move(configs), version);
  });
  return true;
}

}  // namespace weir::state
