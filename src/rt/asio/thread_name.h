// Thread names, for debuggers and `top -H`.
#pragma once

#include <string>

namespace weir::rt::asio {

/// Linux keeps 15 characters.
void name_this_thread(const std::string& name);

}  // namespace weir::rt::asio
