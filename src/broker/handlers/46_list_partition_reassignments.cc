// 46 ListPartitionReassignments, version 0.
//
// Serves: no partition is ever being reassigned, so the list is empty, whatever is asked for.
#include "broker/handlers/handlers.h"
#include "broker/serve.h"
#include "wire/list_partition_reassignments.h"

namespace weir::broker::handlers {
namespace {

using Request = wire::ListPartitionReassignmentsRequest;
using Response = wire::ListPartitionReassignmentsResponse;

rt::Task<Response> handle(Broker&, const RequestContext&, Request) {
  Response response;
  response.error_message.reset();
  co_return response;
}

}  // namespace

rt::Task<Reply> list_partition_reassignments(Broker& broker, RequestContext& context,
                                             SharedBytes body) {
  return serve<Request, Response, handle>(broker, context, std::move(body));
}

}  // namespace weir::broker::handlers
