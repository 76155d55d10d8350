// 34 AlterReplicaLogDirs, versions 1-2.
//
// Serves: there is one directory, the store (DescribeLogDirs names it). Moving a partition there is
// done already: NONE. Any other path: LOG_DIR_NOT_FOUND. Unknown partitions, after a barrier:
// UNKNOWN_TOPIC_OR_PARTITION.
#include "broker/deadlines.h"
#include "broker/handlers/handlers.h"
#include "broker/handlers/store_dir.h"
#include "broker/serve.h"
#include "broker/topic_lookup.h"
#include "wire/alter_replica_log_dirs.h"

namespace weir::broker::handlers {
namespace {

using Request = wire::AlterReplicaLogDirsRequest;
using Response = wire::AlterReplicaLogDirsResponse;

KafkaError judge(const Broker& broker, const std::string& path, const std::string& name,
                 std::int32_t partition, const Result<void>& barrier) {
  const state::TopicInfo* topic = broker.catalog().topic(std::string_view(name));
  if (topic && has_partition(*topic, partition))
    return path == kStoreDir ? KafkaError::none : KafkaError::log_dir_not_found;
  if (!barrier) return to_kafka(ApiClass::admin, barrier.error().code);
  return KafkaError::unknown_topic_or_partition;
}

rt::Task<Response> handle(Broker& broker, const RequestContext& context, Request request) {
  const Result<void> barrier =
      co_await broker.engine().barrier(deadline_of(context.api_key, context.arrived));
  Response response;
  for (const auto& dir : request.dirs)
    for (const auto& topic : dir.topics) {
      auto& out = response.results.emplace_back();
      out.topic_name = topic.name;
      for (std::int32_t partition : topic.partitions)
        out.partitions.push_back(
            {.partition_index = partition,
             .error_code = context.tell(judge(broker, dir.path, topic.name, partition, barrier))});
    }
  co_return response;
}

}  // namespace

rt::Task<Reply> alter_replica_log_dirs(Broker& broker, RequestContext& context, SharedBytes body) {
  return serve<Request, Response, handle>(broker, context, std::move(body));
}

}  // namespace weir::broker::handlers
