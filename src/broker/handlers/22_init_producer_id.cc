// 22 InitProducerId, versions 0-5.
//
// Serves: idempotent producers (no transactional id): a new id with epoch 0, whatever id and epoch
// the client had (as Kafka). Not yet: transactional ids; they are refused with INVALID_REQUEST, and
// the transactional APIs are not advertised.
#include "broker/deadlines.h"
#include "broker/handlers/handlers.h"
#include "broker/serve.h"
#include "wire/init_producer_id.h"

namespace weir::broker::handlers {
namespace {

using Request = wire::InitProducerIdRequest;
using Response = wire::InitProducerIdResponse;

rt::Task<Response> handle(Broker& broker, const RequestContext& context, Request request) {
  Response response;
  response.producer_epoch = -1;
  if (request.transactional_id) {
    response.error_code = context.tell(KafkaError::invalid_request);
    co_return response;
  }
  auto id = co_await broker.engine().new_producer_id(deadline_of(context.api_key, context.arrived));
  if (!id) {
    response.error_code = context.tell(to_kafka(ApiClass::coordinator, id.error().code));
    co_return response;
  }
  response.producer_id = id->value;
  response.producer_epoch = 0;
  co_return response;
}

}  // namespace

rt::Task<Reply> init_producer_id(Broker& broker, RequestContext& context, SharedBytes body) {
  return serve<Request, Response, handle>(broker, context, std::move(body));
}

}  // namespace weir::broker::handlers
