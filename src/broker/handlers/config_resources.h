// What the three config APIs share: which resource is meant, and how a change of it is made.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "broker/broker.h"
#include "broker/kafka_error.h"
#include "rt/task.h"
#include "state/catalog.h"

namespace weir::broker::handlers {

/// Values of the protocol.
enum class ResourceKind : std::int8_t { topic = 2, broker = 4, broker_logger = 8 };

struct FoundResource {
  KafkaError error = KafkaError::none;
  std::string message;
  ResourceKind kind = ResourceKind::topic;
  /// Of a topic; valid until the next suspension.
  const state::TopicInfo* topic = nullptr;
  /// Of a broker; nothing means: of all brokers.
  std::optional<NodeId> node;
};

/// After a barrier. `read` also finds broker loggers.
FoundResource find_resource(const Broker& broker, std::int8_t type, const std::string& name,
                            bool read);

enum class Operation : std::int8_t { set = 0, remove = 1, append = 2, subtract = 3 };

struct ConfigChange {
  std::string key;
  Operation operation = Operation::set;
  std::optional<std::string> value;
};

/// One resource of an alter request, and what became of it.
struct Alteration {
  std::int8_t type = 0;
  std::string name;
  std::vector<ConfigChange> changes;
  /// AlterConfigs: what is not named is deleted.
  bool replace = false;

  KafkaError error = KafkaError::none;
  std::string message;

  bool good() const { return error == KafkaError::none; }
  void refuse(KafkaError code, std::string why) {
    error = code;
    message = std::move(why);
  }
};

/// Checks all, then changes all good ones in one commit, again and again where somebody else's
/// change came in between (each change is guarded by the version that it was computed from).
rt::Task<void> alter_all(Broker& broker, std::vector<Alteration>& alterations, bool validate_only,
                         MonoTime deadline);

}  // namespace weir::broker::handlers
