// The one list of what is served. A row here is what makes ApiVersions advertise an API.
#include "broker/handlers/handlers.h"

namespace weir::broker::handlers {

const HandlerTable& handler_table() {
  static constexpr HandlerRow kRows[] = {
      {0, Order::appends, produce},
      {1, Order::reads, fetch},
      {2, Order::reads, list_offsets},
      {3, Order::reads, metadata},
      {10, Order::reads, find_coordinator},
      {18, Order::reads, api_versions, true},
      {19, Order::writes, create_topics},
      {20, Order::writes, delete_topics},
      {21, Order::writes, delete_records},
      {22, Order::writes, init_producer_id},
      {23, Order::reads, offset_for_leader_epoch},
      {32, Order::reads, describe_configs},
      {33, Order::writes, alter_configs},
      {35, Order::reads, describe_log_dirs},
      {37, Order::writes, create_partitions},
      {44, Order::writes, incremental_alter_configs},
      {60, Order::reads, describe_cluster},
      {75, Order::reads, describe_topic_partitions},
  };
  static constexpr HandlerTable kTable{.rows = kRows, .refuse_api_versions = refuse_api_versions};
  return kTable;
}

}  // namespace weir::broker::handlers
