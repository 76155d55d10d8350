#include "cli/broker_commands.h"

#include <boost/json/object.hpp>

#include "cli/json_line.h"
#include "cli/table.h"
#include "client/admin_client.h"

namespace weir::cli {

rt::Task<ExitStatus> list_brokers(Session& session) {
  client::AdminClient admin(session.cluster);
  auto cluster = co_await admin.describe_cluster(session.deadline());
  if (!cluster) co_return session.fail(cluster.error());
  Table table({"BROKER", "ADDRESS", "ZONE", "CONTROLLER"});
  for (const client::BrokerMetadata& broker : cluster->brokers) {
    const bool controller = broker.id == cluster->controller;
    table.add({std::to_string(broker.id.value), broker.at.text(), broker.rack.value_or("-"),
               controller ? "yes" : ""});
    if (!session.json()) continue;
    boost::json::object object{
        {"broker", broker.id.value}, {"host", json_text(broker.at.host)},
        {"port", broker.at.port},    {"zone", nullptr},
        {"controller", controller},  {"cluster_id", json_text(cluster->cluster_id)}};
    if (broker.rack) object["zone"] = json_text(*broker.rack);
    (void)print_json(session, object);
  }
  if (!session.json()) (void)session.console.out(table.text());
  co_return ExitStatus::success;
}

}  // namespace weir::cli
