// The one list of what is served. A row here is what makes ApiVersions advertise an API.
#include "broker/handlers/handlers.h"

namespace weir::broker::handlers {

const HandlerTable& handler_table() {
  static constexpr HandlerRow kRows[] = {
      {0, Order::appends, produce},
      {1, Order::reads, fetch},
      {2, Order::reads, list_offsets},
      {3, Order::reads, metadata},
      {8, Order::writes, offset_commit},
      {9, Order::reads, offset_fetch},
      {10, Order::reads, find_coordinator},
      {11, Order::reads, join_group},
      {12, Order::reads, heartbeat},
      {13, Order::writes, leave_group},
      {14, Order::reads, sync_group},
      {15, Order::reads, describe_groups},
      {16, Order::reads, list_groups},
      {18, Order::reads, api_versions, true},
      {19, Order::writes, create_topics},
      {20, Order::writes, delete_topics},
      {21, Order::writes, delete_records},
      {22, Order::writes, init_producer_id},
      {23, Order::reads, offset_for_leader_epoch},
      {32, Order::reads, describe_configs},
      {33, Order::writes, alter_configs},
      {34, Order::reads, alter_replica_log_dirs},
      {35, Order::reads, describe_log_dirs},
      {37, Order::writes, create_partitions},
      {42, Order::writes, delete_groups},
      {43, Order::reads, elect_leaders},
      {44, Order::writes, incremental_alter_configs},
      {45, Order::reads, alter_partition_reassignments},
      {46, Order::reads, list_partition_reassignments},
      {47, Order::writes, offset_delete},
      {55, Order::reads, describe_quorum},
      {57, Order::writes, update_features},
      {60, Order::reads, describe_cluster},
      {61, Order::reads, describe_producers},
      {64, Order::writes, unregister_broker},
      {68, Order::reads, consumer_group_heartbeat},
      {69, Order::reads, consumer_group_describe},
      {71, Order::reads, get_telemetry_subscriptions},
      {72, Order::reads, push_telemetry},
      {74, Order::reads, list_config_resources},
      {75, Order::reads, describe_topic_partitions},
  };
  static constexpr HandlerTable kTable{.rows = kRows, .refuse_api_versions = refuse_api_versions};
  return kTable;
}

}  // namespace weir::broker::handlers
