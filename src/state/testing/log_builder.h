// LogBuilder: entries for tests, chained and encoded like those of a broker.
//
// Entries go through `encode_entry` and `decode_entry`, so whatever is folded in a test has been
// bytes before.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/ids.h"
#include "state/command.h"
#include "state/entry.h"
#include "state/spans.h"
#include "state/state.h"

namespace weir::state::testing {

inline constexpr FeatureLevel kLevel{1};

/// An id that is a function of `number`, with all 16 bytes in use.
template <class Id>
Id id_of(std::uint64_t number) {
  Hash128 hash = hash128(std::as_bytes(std::span(&number, 1)), 7);
  Id id;
  std::memcpy(id.bytes.data(), &hash.low, 8);
  std::memcpy(id.bytes.data() + 8, &hash.high, 8);
  return id;
}

/// `size` bytes that nobody looks at.
BytesChain filler(std::size_t size);

template <class Command>
EncodedCommand encoded(const Command& command) {
  return encode_command(command, kLevel);
}

class LogBuilder {
 public:
  /// The bytes of the next entry.
  SharedBytes entry(std::vector<CommandGroup> groups, const BytesChain& inline_data = {});
  SharedBytes genesis();
  Position next() const { return next_; }

 private:
  Position next_{0};
  Nonce previous_;
};

/// A state with its log: folds what it is told to build. Aborts where a test made a mistake.
class Cluster {
 public:
  /// Genesis is folded, and broker 1 registered.
  Cluster();

  State& state() { return state_; }
  LogBuilder& log() { return log_; }
  /// All entries so far.
  const std::vector<SharedBytes>& entries() const { return entries_; }
  Folded fold(SharedBytes entry);

  /// Folds one command of broker `broker`, numbered as its next one.
  template <class Command>
  CommandOutcome propose(const Command& command, std::uint64_t broker = 1) {
    return propose_encoded(encoded(command), {}, broker);
  }
  CommandOutcome propose_encoded(EncodedCommand command, const BytesChain& inline_data,
                                 std::uint64_t broker = 1);
  /// Registers broker number `broker` with an own address.
  CommandOutcome add_broker(std::uint64_t broker);
  /// A topic with this number of partitions; its id is id_of(name's hash).
  TopicId add_topic(const std::string& name, std::int32_t partitions);
  /// Spans in the inline section of one entry.
  std::vector<ItemOutcome> append(const std::vector<NewSpan>& spans, std::uint64_t broker = 1);

 private:
  LogBuilder log_;
  State state_;
  std::vector<SharedBytes> entries_;
};

/// Replaces the last span of a partition by the same records as a merge writes them: in a segment
/// of its own.
void finalize_last_span(Cluster& cluster, PartitionRef at);

Incarnation broker_id(std::uint64_t broker);
TopicId topic_id(std::string_view name);
/// A plain span of `records` batches of one record.
NewSpan plain_span(TopicId topic, std::int32_t partition, std::int32_t records);
NewSpan run_span(TopicId topic, std::int32_t partition, std::int32_t records,
                 const ProducerRun& run);
ProducerRun run_of(std::int64_t producer, std::int16_t epoch, std::int32_t first_sequence);

}  // namespace weir::state::testing
