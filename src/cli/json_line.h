// One JSON value per line: what `--output json` prints.
#pragma once

#include <boost/json/fwd.hpp>
#include <string_view>

#include "cli/session.h"

namespace weir::cli {

boost::json::string json_text(std::string_view value);
/// Errors: as Console::out.
Result<void> print_json(Session& session, const boost::json::object& object);

}  // namespace weir::cli
