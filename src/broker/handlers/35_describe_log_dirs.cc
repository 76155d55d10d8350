// 35 DescribeLogDirs, versions 1-5.
//
// Serves: one directory, the store, with the bytes of each partition that readers can still reach
// (the same on every broker). No lag, no future replicas, size of the volume unknown. Partitions
// that do not exist are left out, as in Kafka; what is named twice is described once.
#include "broker/handlers/handlers.h"
#include "broker/handlers/repeated.h"
#include "broker/handlers/store_dir.h"
#include "broker/serve.h"
#include "broker/topic_lookup.h"
#include "wire/describe_log_dirs.h"

namespace weir::broker::handlers {
namespace {

using Request = wire::DescribeLogDirsRequest;
using Response = wire::DescribeLogDirsResponse;

void add_partition(const Broker& broker, const state::TopicInfo& topic, std::int32_t partition,
                   Response::DescribeLogDirsTopic& out) {
  const auto info = broker.catalog().partition({topic.id, PartitionIndex(partition)});
  if (!info) return;
  out.partitions.push_back(
      {.partition_index = partition, .partition_size = static_cast<std::int64_t>(info->bytes)});
}

using AskedTopic = Request::DescribableLogDirTopic;

rt::Task<Response> handle(Broker& broker, const RequestContext&, Request request) {
  if (request.topics)
    fold_topics(
        *request.topics, [](const AskedTopic& topic) { return topic.topic; },
        &AskedTopic::partitions);
  Response response;
  auto& dir = response.results.emplace_back();
  dir.log_dir = kStoreDir;
  if (!request.topics) {
    broker.catalog().visit_topics("", [&](const state::TopicInfo& topic) {
      auto& out = dir.topics.emplace_back();
      out.name = topic.name;
      for (std::int32_t p = 0; p < topic.partitions; ++p) add_partition(broker, topic, p, out);
      return true;
    });
    co_return response;
  }
  for (const auto& asked : *request.topics) {
    const state::TopicInfo* topic = broker.catalog().topic(std::string_view(asked.topic));
    if (!topic) continue;
    auto& out = dir.topics.emplace_back();
    out.name = asked.topic;
    for (std::int32_t p : asked.partitions) add_partition(broker, *topic, p, out);
  }
  co_return response;
}

}  // namespace

rt::Task<Reply> describe_log_dirs(Broker& broker, RequestContext& context, SharedBytes body) {
  return serve<Request, Response, handle>(broker, context, std::move(body));
}

}  // namespace weir::broker::handlers
