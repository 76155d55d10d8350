// What an object may be called, and how a name becomes a path that cannot leave its root.
//
// A name is 1 … 1,024 bytes of valid UTF-8 without control characters, cut by '/' into at most 16
// parts, none empty, none "." or "..", none over 240 bytes. That is the common part of what stores
// accept.
//
// On a file system each part is escaped: letters, digits and "-_+=@,.~" stand for themselves,
// everything else becomes %XX, and so does a dot at the front. Hence no name reaches a parent
// directory, hidden files of a directory are never objects, and the way back is exact.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace weir::objstore {

/// Error invalid_argument with the reason.
Result<void> check_name(std::string_view name);

/// The relative path of a name that check_name accepts. `invalid_argument` if a part is too long
/// once escaped.
Result<std::string> path_of_name(std::string_view name);
/// One part of a name, or the beginning of one, as it stands in a path.
std::string file_of_name_part(std::string_view part);
/// One part of a path back to its part of a name. Nothing if no name has that path.
std::optional<std::string> name_part_of_file(std::string_view file);

}  // namespace weir::objstore
