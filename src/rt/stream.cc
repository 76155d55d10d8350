#include "rt/stream.h"

namespace weir::rt {

std::string Endpoint::text() const {
  bool literal_v6 = host.find(':') != std::string::npos;
  return (literal_v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

}  // namespace weir::rt
