// ResourceTable: configs of named things that exist by their configs alone: client metrics
// subscriptions and the settings of groups.
//
// A resource is there as long as a key is set. Its version is the number of the change that made
// it so, counted over all resources, so a resource that was deleted and made again never repeats a
// version, and a guarded change cannot be fooled. Resources that do not exist have version 0.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/hash.h"
#include "state/catalog.h"
#include "state/ledger.h"
#include "state/unit.h"

namespace weir::state {

struct ResourceKey {
  ResourceType type = ResourceType::none;
  std::string name;

  friend auto operator<=>(const ResourceKey&, const ResourceKey&) = default;
};

class ResourceConfigs {
 public:
  const ConfigMap& configs() const { return configs_; }
  std::int32_t version() const { return version_; }

  bool live() const { return version_ != 0; }
  Hash128 hash() const;
  void set(EditKey, const ResourceKey& key, ConfigMap configs, std::int32_t version) {
    key_ = key;
    configs_ = std::move(configs);
    version_ = version;
  }

 private:
  ResourceKey key_;
  ConfigMap configs_;
  std::int32_t version_ = 0;
};

class ResourceTable {
 public:
  /// The last version given out stands under type `none` and no name.
  const std::map<ResourceKey, ResourceConfigs>& all() const { return all_; }
  const ResourceConfigs* find(const ResourceKey& key) const;
  std::int32_t last_version() const;

  /// Replaces the configs; none at all remove the resource. Gives its new version.
  std::int32_t set(Ledger& ledger, const ResourceKey& key, ConfigMap configs);
  /// For snapshots: false if it is there already.
  bool restore(Ledger& ledger, const ResourceKey& key, ConfigMap configs, std::int32_t version);

 private:
  std::map<ResourceKey, ResourceConfigs> all_;
};

}  // namespace weir::state
