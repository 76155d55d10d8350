// GroupClient: one consumer group's coordinator, found and asked.
//
// The coordinator is looked up once and again when it turns out wrong or its connection breaks; a
// call that may succeed elsewhere or later is made again until its deadline. Lives on the cluster's
// loop.
#pragma once

#include <optional>
#include <string>

#include "client/cluster.h"
#include "client/kafka_error.h"

namespace weir::client {

class GroupClient {
 public:
  GroupClient(Cluster& cluster, std::string group) : cluster_(cluster), group_(std::move(group)) {}

  const std::string& group() const { return group_; }
  Cluster& cluster() { return cluster_; }

  struct Limits {
    MonoTime deadline;
    /// How long one attempt may take.
    Duration attempt = kRequestTimeout;
    std::int16_t version_max = INT16_MAX;
  };
  /// `code_of` finds the code by which the coordinator refuses a request as a whole. Errors: those
  /// of a call; a code that does not pass is left to the caller.
  template <class Request, class CodeOf>
  rt::Task<Result<ResponseOf<Request>>> call(Request request, Limits limits, CodeOf code_of) {
    for (int attempt = 0;; ++attempt) {
      Result<NodeId> node = co_await coordinator(limits.deadline);
      if (!node) co_return std::unexpected(node.error());
      Result<ResponseOf<Request>> answer = co_await cluster_.call(
          *node, request,
          {.deadline = std::min(limits.deadline, cluster_.loop().now() + limits.attempt),
           .version_max = limits.version_max});
      const std::int16_t code = answer ? code_of(*answer) : std::int16_t{0};
      const bool again = answer ? is_passing(code) : is_retriable(answer.error());
      if (!again) co_return answer;
      coordinator_.reset();
      if (co_await cluster_.pause(attempt, limits.deadline)) continue;
      if (!answer) co_return answer;
      co_return std::unexpected(to_error(code));
    }
  }

 private:
  rt::Task<Result<NodeId>> coordinator(MonoTime deadline);
  rt::Task<Result<NodeId>> find_coordinator(MonoTime deadline, bool& passing);
  /// The coordinator is loading, absent or another: asking again helps.
  static bool is_passing(std::int16_t code);

  Cluster& cluster_;
  std::string group_;
  std::optional<NodeId> coordinator_;
};

}  // namespace weir::client
