// Producer: records in, batches out, in order.
//
// Records of a partition gather in a batch until it is full or has lingered. Batches of a partition
// are sent in order, several at a time if the producer is idempotent; when one fails, the partition
// waits until nothing of it is under way and goes on from there, so retries neither reorder nor
// duplicate. A batch that fails for good ends its partition: what follows it is failed too.
//
// Memory is bounded: `send` waits while too much is buffered. Lives on the cluster's loop; `close`
// must have ended before it dies.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "client/cluster.h"
#include "record/builder.h"

namespace weir::client {

struct ProducerOptions {
  /// -1 all, 1 leader, 0 none (no answer, no offsets). Other than -1 is not idempotent.
  std::int16_t acks = -1;
  bool idempotent = true;
  codec::Codec codec = codec::Codec::none;
  std::size_t batch_bytes_max = kProduceBatchBytesDefault;
  Duration linger = kProduceLingerDefault;
  /// From the moment a batch is complete until it counts as failed.
  Duration delivery_timeout = kDeliveryTimeoutDefault;
  std::size_t buffered_bytes_max = kProduceBufferBytesMax;
};

struct OutgoingRecord {
  std::optional<std::string> key;
  std::optional<std::string> value;
  std::vector<std::pair<std::string, std::string>> headers;
  /// Nothing = now.
  std::optional<WallMillis> timestamp;
  /// Nothing = by the hash of the key, as Kafka's clients do, else a random one per batch.
  std::optional<PartitionIndex> partition;
};

/// Told of every batch, once.
class DeliveryListener {
 public:
  virtual ~DeliveryListener() = default;
  struct Delivery {
    std::string_view topic;
    PartitionIndex partition;
    /// -1 with acks=0, and for a duplicate whose offset the broker no longer knows.
    Offset base_offset{-1};
    std::int32_t records = 0;
    /// Null on success.
    const Error* error = nullptr;
  };
  virtual void on_delivery(const Delivery& delivery) = 0;
};

class Producer {
 public:
  /// `cluster` and `listener` (may be null) outlive the producer.
  Producer(Cluster& cluster, rt::Random& random, ProducerOptions options,
           DeliveryListener* listener = nullptr);
  ~Producer();

  /// Queues one record; waits for room. Errors: not_found (topic or partition), invalid_argument,
  /// too_large, and the error that ended the partition.
  rt::Task<Result<void>> send(std::string topic, OutgoingRecord record);
  /// Sends what lingers and waits until all is delivered or failed. The first failure, if any.
  rt::Task<Result<void>> flush();
  /// Ends without waiting for deliveries: what is not delivered fails with `cancelled`. Requests
  /// that are under way are waited for; `Cluster::shut` before ends them at once.
  rt::Task<void> close();

  std::uint64_t records_delivered() const { return records_delivered_; }
  std::uint64_t records_failed() const { return records_failed_; }

 private:
  struct Batch;
  struct Partition;

  rt::Task<Result<Partition*>> partition_for(const std::string& topic,
                                             const OutgoingRecord& record);
  PartitionIndex choose_partition(const std::string& topic, const OutgoingRecord& record,
                                  std::size_t partitions);
  rt::Task<Result<void>> ensure_producer_id();
  void append(Partition& partition, const OutgoingRecord& record);
  void seal(Partition& partition);
  rt::Task<void> drive(Partition& partition);
  std::optional<MonoTime> launch(Partition& partition);
  rt::Task<void> transmit(Partition& partition, Batch& batch);
  rt::Task<Result<NodeId>> leader_of(Partition& partition, MonoTime deadline);
  rt::Task<Error> attempt(Partition& partition, Batch& batch);
  rt::Task<void> recover(Partition& partition);
  void settle(Partition& partition);
  void finish(Partition& partition, Batch& batch, const std::optional<Error>& error);
  std::size_t in_flight_max() const;

  Cluster& cluster_;
  rt::Loop& loop_;
  rt::Random& random_;
  ProducerOptions options_;
  DeliveryListener* listener_;
  ProducerId producer_id_{-1};
  ProducerEpoch producer_epoch_{-1};
  std::map<std::pair<std::string, PartitionIndex>, std::unique_ptr<Partition>> partitions_;
  /// Where keyless records of a topic go until the next batch.
  std::map<std::string, PartitionIndex> sticky_;
  std::size_t buffered_bytes_ = 0;
  std::size_t batches_open_ = 0;
  std::uint64_t records_delivered_ = 0;
  std::uint64_t records_failed_ = 0;
  std::optional<Error> first_failure_;
  bool flushing_ = false;
  bool closing_ = false;
  rt::Event changed_;
  rt::Scope scope_;
};

/// The partition that Kafka's clients choose for a key: murmur2, masked, modulo.
PartitionIndex partition_of_key(std::string_view key, std::size_t partitions);

}  // namespace weir::client
