// ClientMatch: which clients a client metrics subscription is meant for (KIP-714).
//
// A list of `selector=regular expression`; a client matches if all of them match its whole value.
// RE2, because an expression is somebody's input and may not cost more than linear time.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace re2 {
class RE2;
}

namespace weir::broker::telemetry {

struct ClientTraits {
  std::string client_instance_id;
  std::string client_id;
  std::string client_software_name;
  std::string client_software_version;
  std::string client_source_address;
  std::string client_source_port;
};

class ClientMatch {
 public:
  /// Errors: invalid_argument, with Kafka's words.
  static Result<ClientMatch> parse(const std::vector<std::string>& patterns);
  ClientMatch() = default;
  ClientMatch(ClientMatch&&) noexcept;
  ClientMatch& operator=(ClientMatch&&) noexcept;
  ~ClientMatch();

  bool matches(const ClientTraits& client) const;

 private:
  struct Rule {
    std::string ClientTraits::* trait;
    std::unique_ptr<re2::RE2> pattern;
  };
  std::vector<Rule> rules_;
};

}  // namespace weir::broker::telemetry
