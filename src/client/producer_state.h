// What a Producer keeps of each partition and batch. Private to the producer's files.
#pragma once

#include "client/producer.h"

namespace weir::client {

struct Producer::Batch {
  SharedBytes bytes;
  std::int32_t records = 0;
  std::size_t buffered = 0;
  MonoTime overdue;
  int attempts = 0;
  bool under_way = false;
  /// Delivered, or failed for good; waits only for those before it.
  bool done = false;
  std::optional<Error> error;
  /// The last attempt failed in a way that may pass.
  bool again = false;
  Offset base_offset{-1};
};

struct Producer::Partition {
  Partition(rt::Loop& loop, std::string name, PartitionIndex number)
      : topic(std::move(name)), index(number), changed(loop) {}

  std::string topic;
  PartitionIndex index;
  std::unique_ptr<record::BatchBuilder> filling;
  std::size_t filling_bytes = 0;
  MonoTime linger_until;
  std::int32_t next_sequence = 0;
  /// In order of sending. Addresses stay valid: it grows and shrinks at the ends alone.
  std::deque<Batch> batches;
  std::size_t under_way = 0;
  /// Why nothing more can be sent here.
  std::optional<Error> ended;
  rt::Event changed;
};

}  // namespace weir::client
