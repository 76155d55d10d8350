// The handlers, one file per API key, numbered like the schemas. Each file opens with the versions
// and the behaviours that it serves. `handler_table` is the list that a Server is given.
#pragma once

#include "broker/broker.h"
#include "broker/handler_table.h"

namespace weir::broker::handlers {

/// All APIs that this broker serves. Lives as long as the process.
const HandlerTable& handler_table();

rt::Task<Reply> produce(Broker& broker, RequestContext& context, SharedBytes body);
rt::Task<Reply> fetch(Broker& broker, RequestContext& context, SharedBytes body);
rt::Task<Reply> list_offsets(Broker& broker, RequestContext& context, SharedBytes body);
rt::Task<Reply> metadata(Broker& broker, RequestContext& context, SharedBytes body);
rt::Task<Reply> offset_commit(Broker& broker, RequestContext& context, SharedBytes body);
rt::Task<Reply> offset_fetch(Broker& broker, RequestContext& context, SharedBytes body);
rt::Task<Reply> join_group(Broker& broker, RequestContext& context, SharedBytes body);
rt::Task<Reply> heartbeat(Broker& broker, RequestContext& context, SharedBytes body);
rt::Task<Reply> leave_group(Broker& broker, RequestContext& context, SharedBytes body);
rt::Task<Reply> sync_group(Broker& broker, RequestContext& context, SharedBytes body);
rt::Task<Reply> describe_groups(Broker& broker, RequestContext& context, SharedBytes body);
rt::Task<Reply> list_groups(Broker& broker, RequestContext& context, SharedBytes body);
rt::Task<Reply> delete_groups(Broker& broker, RequestContext& context, SharedBytes body);
rt::Task<Reply> offset_delete(Broker& broker, RequestContext& context, SharedBytes body);
rt::Task<Reply> find_coordinator(Broker& broker, RequestContext& context, SharedBytes body);
rt::Task<Reply> api_versions(Broker& broker, RequestContext& context, SharedBytes body);
rt::Task<Reply> create_topics(Broker& broker, RequestContext& context, SharedBytes body);
rt::Task<Reply> delete_topics(Broker& broker, RequestContext& context, SharedBytes body);
rt::Task<Reply> delete_records(Broker& broker, RequestContext& context, SharedBytes body);
rt::Task<Reply> init_producer_id(Broker& broker, RequestContext& context, SharedBytes body);
rt::Task<Reply> offset_for_leader_epoch(Broker& broker, RequestContext& context, SharedBytes body);
rt::Task<Reply> describe_configs(Broker& broker, RequestContext& context, SharedBytes body);
rt::Task<Reply> alter_configs(Broker& broker, RequestContext& context, SharedBytes body);
rt::Task<Reply> alter_replica_log_dirs(Broker& broker, RequestContext& context, SharedBytes body);
rt::Task<Reply> describe_log_dirs(Broker& broker, RequestContext& context, SharedBytes body);
rt::Task<Reply> create_partitions(Broker& broker, RequestContext& context, SharedBytes body);
rt::Task<Reply> elect_leaders(Broker& broker, RequestContext& context, SharedBytes body);
rt::Task<Reply> incremental_alter_configs(Broker& broker, RequestContext& context,
                                          SharedBytes body);
rt::Task<Reply> alter_partition_reassignments(Broker& broker, RequestContext& context,
                                              SharedBytes body);
rt::Task<Reply> list_partition_reassignments(Broker& broker, RequestContext& context,
                                             SharedBytes body);
rt::Task<Reply> describe_quorum(Broker& broker, RequestContext& context, SharedBytes body);
rt::Task<Reply> update_features(Broker& broker, RequestContext& context, SharedBytes body);
rt::Task<Reply> describe_cluster(Broker& broker, RequestContext& context, SharedBytes body);
rt::Task<Reply> describe_producers(Broker& broker, RequestContext& context, SharedBytes body);
rt::Task<Reply> unregister_broker(Broker& broker, RequestContext& context, SharedBytes body);
rt::Task<Reply> get_telemetry_subscriptions(Broker& broker, RequestContext& context,
                                            SharedBytes body);
rt::Task<Reply> push_telemetry(Broker& broker, RequestContext& context, SharedBytes body);
rt::Task<Reply> list_config_resources(Broker& broker, RequestContext& context, SharedBytes body);
rt::Task<Reply> consumer_group_heartbeat(Broker& broker, RequestContext& context, SharedBytes body);
rt::Task<Reply> consumer_group_describe(Broker& broker, RequestContext& context, SharedBytes body);
rt::Task<Reply> describe_topic_partitions(Broker& broker, RequestContext& context,
                                          SharedBytes body);

Reply refuse_api_versions(const HandlerTable& table, const RequestContext& context);

}  // namespace weir::broker::handlers
