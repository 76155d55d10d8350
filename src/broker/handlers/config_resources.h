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
enum class ResourceKind : std::int8_t {
  topic = 2,
  broker = 4,
  broker_logger = 8,
  client_metrics = 16,
  group = 32
};

/// A kind of resource that exists by its configs alone, and how Kafka words its refusals.
struct NamedKind {
  ResourceKind kind;
  config::Defs (*defs)();
  config::Source source;
  /// "Unknown …: key".
  const char* label;
  KafkaError unknown_key;
  KafkaError bad_value;

  state::ResourceType type() const { return static_cast<state::ResourceType>(kind); }
};

struct FoundResource {
  KafkaError error = KafkaError::none;
  std::string message;
  ResourceKind kind = ResourceKind::topic;
  /// Of a topic; valid until the next suspension.
  const state::TopicInfo* topic = nullptr;
  /// Of a broker; nothing means: of all brokers.
  std::optional<NodeId> node;
  /// Of a resource that exists by its configs alone.
  const NamedKind* named = nullptr;
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

/// The answer to an alter request; `Response` is that of either API.
template <class Response>
Response answer_of(const RequestContext& context, std::vector<Alteration>& alterations) {
  Response response;
  for (Alteration& item : alterations) {
    auto& out = response.responses.emplace_back();
    out.error_code = context.tell(item.error);
    out.error_message.reset();
    if (!item.good()) out.error_message = std::move(item.message);
    out.resource_type = item.type;
    out.resource_name = std::move(item.name);
  }
  return response;
}

/// Checks all, then changes all good ones in one commit, again and again where somebody else's
/// change came in between (each change is guarded by the version that it was computed from).
rt::Task<void> alter_all(Broker& broker, std::vector<Alteration>& alterations, bool validate_only,
                         MonoTime deadline);

}  // namespace weir::broker::handlers
