// GroupAdmin: consumer groups as an operator sees them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "client/admin_client.h"
#include "client/consumer.h"
#include "client/group_client.h"

namespace weir::client {

struct GroupListing {
  std::string group;
  /// "consumer", "connect", …
  std::string protocol_type;
  /// "Stable", "Empty", …; empty from a broker that is too old to say.
  std::string state;
  /// "classic", "consumer", …; the same.
  std::string type;
};

struct GroupMemberInfo {
  std::string id;
  std::optional<std::string> instance_id;
  std::string client_id;
  std::string host;
  std::vector<TopicPartition> assignment;
};

struct GroupDescription {
  std::string group;
  std::string type;
  std::string state;
  std::string assignor;
  std::vector<GroupMemberInfo> members;
};

class GroupAdmin {
 public:
  explicit GroupAdmin(Cluster& cluster) : cluster_(cluster) {}

  /// Of all brokers, by name.
  rt::Task<Result<std::vector<GroupListing>>> list(MonoTime deadline);
  /// Errors: not_found, and those of a call.
  rt::Task<Result<GroupDescription>> describe(std::string group, MonoTime deadline);
  rt::Task<Result<void>> remove(std::string group, MonoTime deadline);

 private:
  rt::Task<Result<std::optional<GroupDescription>>> describe_consumer(GroupClient& group,
                                                                      MonoTime deadline);
  rt::Task<Result<GroupDescription>> describe_classic(GroupClient& group, MonoTime deadline);

  Cluster& cluster_;
};

}  // namespace weir::client
