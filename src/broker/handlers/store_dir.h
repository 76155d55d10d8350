// The one log directory that DescribeLogDirs reports and AlterReplicaLogDirs knows: the store.
#pragma once

#include <string_view>

namespace weir::broker::handlers {

inline constexpr std::string_view kStoreDir = "store";

}  // namespace weir::broker::handlers
