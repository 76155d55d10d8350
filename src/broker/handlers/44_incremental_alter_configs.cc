// 44 IncrementalAlterConfigs, versions 0-1.
//
// Serves: SET, DELETE, APPEND and SUBTRACT (lists only) on topics, brokers and client metrics
// subscriptions (a new name makes one, its last key deleted unmakes it), as read-modify-write
// guarded by the version of the configs. An unknown operation: INVALID_REQUEST.
// All resources change in one commit; `validate_only`; errors by resource, naming the key
// (INVALID_CONFIG). Broker configs that cannot change at run time: INVALID_REQUEST.
#include "broker/deadlines.h"
#include "broker/handlers/config_resources.h"
#include "broker/handlers/handlers.h"
#include "broker/serve.h"
#include "wire/incremental_alter_configs.h"

namespace weir::broker::handlers {
namespace {

using Request = wire::IncrementalAlterConfigsRequest;
using Response = wire::IncrementalAlterConfigsResponse;

std::vector<Alteration> alterations_of(const Request& request) {
  std::vector<Alteration> out;
  for (const auto& resource : request.resources) {
    Alteration& item = out.emplace_back();
    item.type = resource.resource_type;
    item.name = resource.resource_name;
    for (const auto& config : resource.configs) {
      if (config.config_operation < 0 || config.config_operation > 3)
        item.refuse(KafkaError::invalid_request, "Unknown operation on " + config.name + ".");
      item.changes.push_back(
          {config.name, static_cast<Operation>(config.config_operation), config.value});
    }
  }
  return out;
}

rt::Task<Response> handle(Broker& broker, const RequestContext& context, Request request) {
  std::vector<Alteration> alterations = alterations_of(request);
  co_await alter_all(broker, alterations, request.validate_only,
                     deadline_of(context.api_key, context.arrived));
  co_return answer_of<Response>(context, alterations);
}

}  // namespace

rt::Task<Reply> incremental_alter_configs(Broker& broker, RequestContext& context,
                                          SharedBytes body) {
  return serve<Request, Response, handle>(broker, context, std::move(body));
}

}  // namespace weir::broker::handlers
