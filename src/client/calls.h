// Which response answers which request, for the calls that the client makes, and how a call is
// encoded and decoded.
#pragma once

#include "base/result.h"
#include "serial/reader.h"
#include "serial/writer.h"
#include "wire/api_versions.h"
#include "wire/consumer_group_describe.h"
#include "wire/create_partitions.h"
#include "wire/create_topics.h"
#include "wire/delete_groups.h"
#include "wire/delete_topics.h"
#include "wire/describe_cluster.h"
#include "wire/describe_configs.h"
#include "wire/describe_groups.h"
#include "wire/fetch.h"
#include "wire/find_coordinator.h"
#include "wire/headers.h"
#include "wire/heartbeat.h"
#include "wire/incremental_alter_configs.h"
#include "wire/init_producer_id.h"
#include "wire/join_group.h"
#include "wire/leave_group.h"
#include "wire/list_groups.h"
#include "wire/list_offsets.h"
#include "wire/metadata.h"
#include "wire/offset_commit.h"
#include "wire/offset_fetch.h"
#include "wire/produce.h"
#include "wire/sync_group.h"

namespace weir::client {

template <class Request>
struct CallTraits;

#define WEIR_CLIENT_CALL(name)             \
  template <>                              \
  struct CallTraits<wire::name##Request> { \
    using Response = wire::name##Response; \
  }
WEIR_CLIENT_CALL(ApiVersions);
WEIR_CLIENT_CALL(ConsumerGroupDescribe);
WEIR_CLIENT_CALL(CreatePartitions);
WEIR_CLIENT_CALL(CreateTopics);
WEIR_CLIENT_CALL(DeleteGroups);
WEIR_CLIENT_CALL(DeleteTopics);
WEIR_CLIENT_CALL(DescribeCluster);
WEIR_CLIENT_CALL(DescribeConfigs);
WEIR_CLIENT_CALL(DescribeGroups);
WEIR_CLIENT_CALL(Fetch);
WEIR_CLIENT_CALL(FindCoordinator);
WEIR_CLIENT_CALL(Heartbeat);
WEIR_CLIENT_CALL(IncrementalAlterConfigs);
WEIR_CLIENT_CALL(InitProducerId);
WEIR_CLIENT_CALL(JoinGroup);
WEIR_CLIENT_CALL(LeaveGroup);
WEIR_CLIENT_CALL(ListGroups);
WEIR_CLIENT_CALL(ListOffsets);
WEIR_CLIENT_CALL(Metadata);
WEIR_CLIENT_CALL(OffsetCommit);
WEIR_CLIENT_CALL(OffsetFetch);
WEIR_CLIENT_CALL(Produce);
WEIR_CLIENT_CALL(SyncGroup);
#undef WEIR_CLIENT_CALL

template <class Request>
using ResponseOf = typename CallTraits<Request>::Response;

/// One request as a frame, length word included.
template <class Request>
Result<BytesChain> encode_call(const wire::RequestHeader& header, const Request& request) {
  serial::Writer writer;
  serial::Writer::Placeholder frame = writer.begin_frame();
  wire::encode_request_header(header, writer);
  encode(request, writer, header.request_api_version);
  writer.end_frame(frame);
  return writer.finish();
}

/// `frame` without its length word.
template <class Response>
Result<Response> decode_answer(const SharedBytes& frame, std::int16_t version) {
  const wire::ApiInfo* api = wire::find_api(Response::kApiKey);
  ENSURE(api != nullptr);
  serial::Reader reader(frame);
  Result<std::int32_t> correlation = wire::decode_response_header(*api, version, reader);
  if (!correlation) return with_context(correlation.error(), Response::kName);
  Response response;
  if (!decode(response, reader, version) || !reader.expect_end())
    return with_context(reader.error(), Response::kName);
  return response;
}

}  // namespace weir::client
