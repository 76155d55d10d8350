// Topic configs of Apache Kafka 4.4.0, and weir's own, by name.
#include "broker/config/tables.h"

namespace weir::broker::config {

using namespace checks;

constexpr ConfigDef kTopicTableRows[] = {
    {"cleanup.policy", ConfigType::list, "delete", each_of("compact,delete"), Change::cluster_wide,
     "log.cleanup.policy",
     "What happens to old data: \"delete\" drops it by age or size, \"compact\" keeps the last "
     "value of each key; both may be given."},
    {"compression.gzip.level", ConfigType::int32, "-1", range_or_less(1, 9), Change::cluster_wide,
     "compression.gzip.level",
     "Effort of gzip when the broker compresses for this topic; -1 is gzip's own default."},
    {"compression.lz4.level", ConfigType::int32, "9", range(1, 17), Change::cluster_wide,
     "compression.lz4.level", "Effort of lz4 when the broker compresses for this topic."},
    {"compression.type", ConfigType::string, "producer",
     one_of("uncompressed,zstd,lz4,snappy,gzip,producer"), Change::cluster_wide, "compression.type",
     "Codec of stored batches. \"producer\" keeps what the producer chose; any other value makes "
     "the broker compress again."},
    {"compression.zstd.level", ConfigType::int32, "3", range(-131'072, 22), Change::cluster_wide,
     "compression.zstd.level", "Effort of zstd when the broker compresses for this topic."},
    {"delete.retention.ms", ConfigType::int64, "86400000", at_least(0), Change::cluster_wide,
     "log.cleaner.delete.retention.ms",
     "How long compaction keeps a tombstone, so that a reader that began at the start sees it."},
    {"errors.deadletterqueue.group.enable", ConfigType::boolean, "false", any(),
     Change::cluster_wide, "",
     "Whether share groups may write records that they gave up on to this topic. Without effect in "
     "weir."},
    {"file.delete.delay.ms", ConfigType::int64, "60000", at_least(0), Change::cluster_wide,
     "log.segment.delete.delay.ms",
     "Delay before files of a deleted segment go. Without effect in weir, which has its own "
     "deletion delay."},
    {"flush.messages", ConfigType::int64, "9223372036854775807", at_least(1), Change::cluster_wide,
     "log.flush.interval.messages",
     "Records after which Kafka forces a sync. Without effect in weir: what is acknowledged is "
     "durable."},
    {"flush.ms", ConfigType::int64, "9223372036854775807", at_least(0), Change::cluster_wide,
     "log.flush.interval.ms",
     "Time after which Kafka forces a sync. Without effect in weir: what is acknowledged is "
     "durable."},
    {"follower.replication.throttled.replicas", ConfigType::list, "", replicas(),
     Change::cluster_wide, "",
     "Replicas whose catching up is throttled on the follower's side. Without effect in weir, "
     "which does not replicate."},
    {"index.interval.bytes", ConfigType::int32, "4096", at_least(0), Change::cluster_wide,
     "log.index.interval.bytes",
     "Bytes between entries of Kafka's offset index. Without effect in weir."},
    {"leader.replication.throttled.replicas", ConfigType::list, "", replicas(),
     Change::cluster_wide, "",
     "Replicas whose catching up is throttled on the leader's side. Without effect in weir, which "
     "does not replicate."},
    {"local.retention.bytes", ConfigType::int64, "-2", at_least(-2), Change::cluster_wide,
     "log.local.retention.bytes",
     "Bytes kept on local disk with tiered storage; -2 means as retention.bytes. Without effect in "
     "weir."},
    {"local.retention.ms", ConfigType::int64, "-2", at_least(-2), Change::cluster_wide,
     "log.local.retention.ms",
     "Time that data is kept on local disk with tiered storage; -2 means as retention.ms. Without "
     "effect in weir."},
    {"max.compaction.lag.ms", ConfigType::int64, "9223372036854775807", at_least(1),
     Change::cluster_wide, "log.cleaner.max.compaction.lag.ms",
     "A record is compacted at the latest this long after it was written."},
    {"max.decompressed.message.bytes", ConfigType::int32, "2147483639", range(1, 2'147'483'639),
     Change::cluster_wide, "max.decompressed.message.bytes",
     "Largest size of a batch after decompression that the broker accepts where it has to "
     "decompress."},
    {"max.message.bytes", ConfigType::int32, "1048588", at_least(0), Change::cluster_wide,
     "message.max.bytes", "Largest record batch, as sent by the producer and after compression."},
    {"message.timestamp.after.max.ms", ConfigType::int64, "3600000", at_least(0),
     Change::cluster_wide, "log.message.timestamp.after.max.ms",
     "How far a record's timestamp may lie after the broker's time."},
    {"message.timestamp.before.max.ms", ConfigType::int64, "9223372036854775807", at_least(0),
     Change::cluster_wide, "log.message.timestamp.before.max.ms",
     "How far a record's timestamp may lie before the broker's time."},
    {"message.timestamp.type", ConfigType::string, "CreateTime", one_of("CreateTime,LogAppendTime"),
     Change::cluster_wide, "log.message.timestamp.type",
     "Whether a record carries the producer's time (CreateTime) or the time of the append "
     "(LogAppendTime)."},
    {"min.cleanable.dirty.ratio", ConfigType::float64, "0.5", range(0, 1), Change::cluster_wide,
     "log.cleaner.min.cleanable.ratio",
     "Share of not yet compacted bytes from which a compacted topic is worth a run."},
    {"min.compaction.lag.ms", ConfigType::int64, "0", at_least(0), Change::cluster_wide,
     "log.cleaner.min.compaction.lag.ms",
     "A record is not compacted before this long after it was written."},
    {"min.insync.replicas", ConfigType::int32, "1", at_least(1), Change::cluster_wide,
     "min.insync.replicas",
     "Replicas that must have a record before it is acknowledged. Always met in weir: the object "
     "store is the replication."},
    {"preallocate", ConfigType::boolean, "false", any(), Change::cluster_wide, "log.preallocate",
     "Whether Kafka reserves the disk space of a new segment. Without effect in weir."},
    {"remote.copy.lag.bytes", ConfigType::int64, "-1", at_least(-1), Change::cluster_wide,
     "log.remote.copy.lag.bytes",
     "Bytes that tiered storage may lag behind. Without effect in weir."},
    {"remote.copy.lag.ms", ConfigType::int64, "0", at_least(-1), Change::cluster_wide,
     "log.remote.copy.lag.ms", "Time that tiered storage may lag behind. Without effect in weir."},
    {"remote.log.copy.disable", ConfigType::boolean, "false", any(), Change::cluster_wide, "",
     "Stops copying to tiered storage. Without effect in weir."},
    {"remote.log.delete.on.disable", ConfigType::boolean, "false", any(), Change::cluster_wide, "",
     "Whether tiered data goes when tiered storage is switched off. Without effect in weir."},
    {"remote.storage.enable", ConfigType::boolean, "false", any(), Change::cluster_wide, "",
     "Tiered storage for this topic. Without effect in weir, where all data is in the object "
     "store."},
    {"retention.bytes", ConfigType::int64, "-1", any(), Change::cluster_wide, "log.retention.bytes",
     "Bytes of a partition above which its oldest data is dropped; -1 is no limit."},
    {"retention.ms", ConfigType::int64, "604800000", at_least(-1), Change::cluster_wide,
     "log.retention.ms", "Age from which data is dropped; -1 keeps it for ever."},
    {"segment.bytes", ConfigType::int32, "1073741824", at_least(1'048'576), Change::cluster_wide,
     "log.segment.bytes",
     "Size of one segment file in Kafka. weir decides the size of its objects itself."},
    {"segment.index.bytes", ConfigType::int32, "10485760", at_least(4), Change::cluster_wide,
     "log.index.size.max.bytes", "Size of Kafka's index files. Without effect in weir."},
    {"segment.jitter.ms", ConfigType::int64, "0", at_least(0), Change::cluster_wide,
     "log.roll.jitter.ms", "Random part of segment.ms. Without effect in weir."},
    {"segment.ms", ConfigType::int64, "604800000", at_least(1), Change::cluster_wide, "log.roll.ms",
     "Age after which Kafka begins a new segment. Without effect in weir, where retention is "
     "exact."},
    {"unclean.leader.election.enable", ConfigType::boolean, "false", any(), Change::cluster_wide,
     "unclean.leader.election.enable",
     "Whether a replica that lacks data may lead. Without effect in weir: every broker has all "
     "data."},
    {"weir.storage.compression", ConfigType::string, "none", one_of("none,zstd"),
     Change::cluster_wide, "",
     "Codec in which weir stores what producers sent uncompressed. Consumers get the batches as "
     "they were produced."},
};
std::span<const ConfigDef> topic_table() { return kTopicTableRows; }

}  // namespace weir::broker::config
