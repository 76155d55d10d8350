// Descriptors 0, 1 and 2, which a parent may have closed (`weir … <&-`, some supervisors).
//
// The next socket or file that is opened would then become standard input, output or error, and be
// read as input or written to as a log. So what is closed is /dev/null from the start.
#pragma once

#include <span>

namespace weir::app {

/// Opens /dev/null on each of `descriptors` (ascending) that is closed. Before anything else is
/// opened. False if that fails.
bool open_closed_descriptors(std::span<const int> descriptors);

}  // namespace weir::app
