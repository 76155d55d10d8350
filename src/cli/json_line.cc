#include "cli/json_line.h"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

namespace weir::cli {

boost::json::string json_text(std::string_view value) {
  return boost::json::string(value.data(), value.size());
}

Result<void> print_json(Session& session, const boost::json::object& object) {
  return session.console.out(boost::json::serialize(object) + "\n");
}

}  // namespace weir::cli
