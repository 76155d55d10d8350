#include "base/version.h"

namespace weir {

std::string_view version() { return WEIR_VERSION; }

}  // namespace weir
