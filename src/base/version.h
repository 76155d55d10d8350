// The version of this program, from CMakeLists.txt.
#pragma once

#include <string_view>

namespace weir {

/// "0.1.0".
std::string_view version();

}  // namespace weir
