#include "state/topics/configs.h"

#include <algorithm>

#include "state/limits.h"

namespace weir::state {

bool is_config(const std::string& key, const std::string& value) {
  return !key.empty() && key.size() <= kConfigKeyBytesMax && value.size() <= kConfigValueBytesMax;
}

void apply_config(ConfigMap& configs, const std::string& key,
                  const std::optional<std::string>& value) {
  auto at = std::lower_bound(configs.begin(), configs.end(), key,
                             [](const auto& pair, const std::string& k) { return pair.first < k; });
  bool present = at != configs.end() && at->first == key;
  if (!value) {
    if (present) configs.erase(at);
  } else if (present) {
    at->second = *value;
  } else {
    configs.insert(at, {key, *value});
  }
}

}  // namespace weir::state
