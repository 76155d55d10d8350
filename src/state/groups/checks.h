// What the folds of groups refuse as malformed: texts and lists beyond the limits of limits.h.
#pragma once

#include <string>

#include "state/fold.h"

namespace weir::state {

bool is_group_text(const std::string& text);
bool is_group_id(const std::string& id);
bool well_formed(const command::JoinGroup& command);
bool well_formed(const command::SyncGroup& command);
bool well_formed(const command::CommitOffsets& command);
/// Room for one more group, and for `bytes` more of any.
bool has_room(const Tables& tables, bool new_group, std::uint64_t bytes);

}  // namespace weir::state
