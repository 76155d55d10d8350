// KafkaWriter, KafkaReader: clients that speak Kafka's protocol with whole brokers, over the
// simulated network, with weir's own client library.
//
// A writer sends to one partition. Where the library gives a batch up, everything behind it fails
// too, and the writer begins a new stream with a new producer. A reader follows some partitions and
// compares what ListOffsets says with what was committed before.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "client/consumer.h"
#include "client/producer.h"
#include "rt/sim/node.h"
#include "tests/sim/checker.h"
#include "tests/sim/client.h"
#include "tests/sim/topics.h"

namespace weir::sim {

struct KafkaClientParts {
  rt::sim::SimNode& node;
  Checker& checker;
  Topics& topics;
  std::vector<rt::Endpoint> bootstrap;
};

struct KafkaWriterOptions {
  PartitionRef at;
  std::string topic;
  bool idempotent = true;
  codec::Codec codec = codec::Codec::none;
  std::size_t batch_bytes_max = 2'000;
  std::uint32_t records_per_burst_max = 30;
  std::uint32_t value_bytes_max = 100;
  Duration pace = 2s;
  Duration delivery_timeout = 60s;
};

class KafkaWriter final : public Client, private client::DeliveryListener {
 public:
  KafkaWriter(KafkaClientParts parts, KafkaWriterOptions options);

  rt::Task<void> run() override;
  void finish() override { finishing_ = true; }
  bool done() const override { return done_; }
  std::string describe() const override;

 private:
  bool gone() const { return !parts_.topics.is_live(options_.at.topic); }
  /// One producer, until it fails or we finish.
  rt::Task<void> session();
  rt::Task<Result<void>> send_burst(client::Producer& producer);
  void on_delivery(const Delivery& delivery) override;

  KafkaClientParts parts_;
  KafkaWriterOptions options_;
  client::Cluster cluster_;
  StreamId stream_ = 0;
  std::uint32_t next_number_ = 0;
  std::uint32_t settled_ = 0;
  std::string trouble_;
  bool finishing_ = false;
  bool done_ = false;
};

class KafkaReader final : public Client {
 public:
  KafkaReader(KafkaClientParts parts, std::string name);

  rt::Task<void> run() override;
  void finish() override { finishing_ = true; }
  bool done() const override { return done_; }
  std::string describe() const override { return name_; }

 private:
  void assign_all(client::Consumer& consumer);
  rt::Task<void> look_again(client::Consumer& consumer);
  rt::Task<void> ask_offsets(client::Consumer& consumer, client::TopicPartition at,
                             PartitionRef ref);
  void take(const client::Fetched& fetched);
  std::string topic_name(TopicId id) const;

  KafkaClientParts parts_;
  std::string name_;
  client::Cluster cluster_;
  std::map<client::TopicPartition, PartitionRef> refs_;
  std::map<client::TopicPartition, Offset> positions_;
  bool finishing_ = false;
  bool done_ = false;
};

}  // namespace weir::sim
