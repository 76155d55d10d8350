// Configs of client metrics subscriptions of Apache Kafka 4.4.0 (KIP-714), by name.
#include "broker/config/tables.h"

namespace weir::broker::config {

using namespace checks;

constexpr ConfigDef kClientMetricsRows[] = {
    {"interval.ms", ConfigType::int32, "300000", range(100, 3'600'000), Change::cluster_wide, "",
     "Time between two pushes of a client."},
    {"match", ConfigType::list, "", client_match(), Change::cluster_wide, "",
     "Which clients are meant: selector=regular expression, where the selector is "
     "client_instance_id, client_id, client_software_name, client_software_version, "
     "client_source_address or client_source_port. All must match; none matches every client."},
    {"metrics", ConfigType::list, "", any(), Change::cluster_wide, "",
     "Prefixes of the names of the metrics to be pushed; * for all."},
};

std::span<const ConfigDef> client_metrics_table() { return kClientMetricsRows; }

}  // namespace weir::broker::config
