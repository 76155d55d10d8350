// Writer: one producer's records to one partition, sent as a Kafka producer does.
//
// Idempotent: up to five batches in flight, with sequences; a batch without a clear success is sent
// again, unchanged, perhaps to another broker, in the order of sequences, until it is answered. The
// strict kind lets everything in flight end first, the eager kind does not. Not idempotent: the
// same without sequences: at least once.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "rt/scope.h"
#include "tests/sim/batches.h"
#include "tests/sim/calls.h"
#include "tests/sim/client.h"
#include "tests/sim/topics.h"

namespace weir::sim {

struct WriterOptions {
  PartitionRef at;
  bool idempotent = true;
  bool eager = false;
  std::uint32_t records_per_batch_max = 16;
  std::uint32_t value_bytes_max = 100;
  std::uint32_t tombstones_percent = 0;
  codec::Codec codec = codec::Codec::none;
  /// Between two bursts of batches.
  Duration pace = 1s;
  Duration time_out = 3s;
};

class Writer final : public Client {
 public:
  /// `caller` and `topics` outlive the writer.
  Writer(Caller& caller, Topics& topics, WriterOptions options);

  /// Until `finish` was called and everything is answered, or the topic is gone.
  rt::Task<void> run() override;
  void finish() override;
  bool done() const override { return done_; }
  std::string describe() const override;

 private:
  enum class Stage : std::uint8_t { waiting, in_flight, acknowledged };
  struct Batch {
    MadeBatch made;
    Checker::Run run;
    Stage stage = Stage::waiting;
    int attempts = 0;
    std::string last_error;
  };
  using BatchPtr = std::shared_ptr<Batch>;

  bool gone() const { return !topics_.is_live(options_.at.topic); }
  rt::Task<void> take_producer_id();
  void add_batch();
  Duration draw_pause();
  BatchPtr next_to_send() const;
  rt::Task<void> send(BatchPtr batch, bool is_next);
  void settle(Batch& batch, const engine::ProduceOutcome& outcome, bool is_next);
  void failed(Batch& batch, std::string why);

  Caller& caller_;
  Checker& checker_;
  Topics& topics_;
  WriterOptions options_;
  StreamId stream_;
  ProducerId producer_{-1};
  std::size_t broker_;
  std::uint32_t next_number_ = 0;
  std::int32_t next_sequence_ = 0;
  std::deque<BatchPtr> window_;
  std::size_t in_flight_ = 0;
  MonoTime next_batch_{};
  MonoTime not_before_{};
  bool finishing_ = false;
  bool done_ = false;
  rt::Event changed_;
  rt::Scope scope_;
};

}  // namespace weir::sim
