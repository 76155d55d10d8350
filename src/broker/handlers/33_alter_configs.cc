// 33 AlterConfigs, versions 0-2.
//
// Serves: sets of configs of topics, brokers and client metrics subscriptions; what is not named is
// deleted, which is why clients should prefer IncrementalAlterConfigs. A config without value
// (null): INVALID_REQUEST. All resources change in one commit; `validate_only`; errors by resource,
// naming the key (INVALID_CONFIG). Broker configs that cannot change at run time: INVALID_REQUEST.
#include "broker/deadlines.h"
#include "broker/handlers/config_resources.h"
#include "broker/handlers/handlers.h"
#include "broker/serve.h"
#include "wire/alter_configs.h"

namespace weir::broker::handlers {
namespace {

using Request = wire::AlterConfigsRequest;
using Response = wire::AlterConfigsResponse;

std::vector<Alteration> alterations_of(const Request& request) {
  std::vector<Alteration> out;
  for (const auto& resource : request.resources) {
    Alteration& item = out.emplace_back();
    item.type = resource.resource_type;
    item.name = resource.resource_name;
    for (const auto& config : resource.configs)
      item.changes.push_back({config.name, Operation::set, config.value});
    item.replace = true;
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

rt::Task<Reply> alter_configs(Broker& broker, RequestContext& context, SharedBytes body) {
  return serve<Request, Response, handle>(broker, context, std::move(body));
}

}  // namespace weir::broker::handlers
