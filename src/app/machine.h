// What this process may take of its machine, and what a broker takes that was not told.
//
// A container sees the memory of its whole host. Its limit stands in files of the control group
// that it runs in, and of those around it; the least one counts. Both hierarchies of Linux are
// known: version 2 (`memory.max`) and version 1 (`memory.limit_in_bytes`). A container often sees
// itself under the name that it has on its host, where no such directory is visible: then the root
// of what is visible is its own.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/result.h"

namespace weir::app {

/// The text of a file; as `read_small_file` (load_settings.h).
using ReadText = std::function<Result<std::string>(const std::string& path)>;

/// Bytes; nothing if no control group limits them. `read` sees /proc and /sys; what it cannot read
/// limits nothing.
std::optional<std::uint64_t> memory_of_group(const ReadText& read);

/// Bytes: of the machine, or of the control group if that is less.
std::uint64_t memory_of_machine();
/// Of `--memory`.
std::uint64_t memory_default();
/// Of `--lanes`.
unsigned lanes_default();

}  // namespace weir::app
