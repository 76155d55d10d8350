// Configs as the fold sees them: opaque texts under sorted keys, within limits.
#pragma once

#include <optional>
#include <string>

#include "state/catalog.h"

namespace weir::state {

bool is_config(const std::string& key, const std::string& value);
/// Sets the key, or removes it.
void apply_config(ConfigMap& configs, const std::string& key,
                  const std::optional<std::string>& value);

}  // namespace weir::state
