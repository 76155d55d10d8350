// The rules of CreateTopics that need no state but the broker's configs.
#pragma once

#include <string>
#include <vector>

#include "broker/config/sources.h"
#include "broker/kafka_error.h"
#include "engine/api.h"
#include "wire/create_topics.h"

namespace weir::broker::handlers {

/// A topic as asked, with defaults filled in, or why it may not be made.
struct CheckedTopic {
  engine::NewTopic topic;
  KafkaError error = KafkaError::none;
  std::string message;

  bool good() const { return error == KafkaError::none; }
  void refuse(KafkaError code, std::string why) {
    error = code;
    message = std::move(why);
  }
};

/// One per topic of the request, in order; a name that is there several times is refused each time.
std::vector<CheckedTopic> check_topics(const config::Sources& sources,
                                       const wire::CreateTopicsRequest& request);

/// Existing and colliding names; for `validate_only`, after a barrier.
void check_against_state(const state::Catalog& catalog, CheckedTopic& topic);

}  // namespace weir::broker::handlers
