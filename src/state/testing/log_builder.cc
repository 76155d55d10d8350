#include "state/testing/log_builder.h"

#include "base/ensure.h"
#include "base/narrow.h"
#include "state/commands/append_spans.h"
#include "state/commands/create_topics.h"
#include "state/commands/genesis.h"
#include "state/commands/register_broker.h"
#include "state/commands/replace_spans.h"

namespace weir::state::testing {

BytesChain filler(std::size_t size) {
  Buffer buffer = Buffer::make(size);
  std::fill(buffer.data().begin(), buffer.data().end(), std::byte{'x'});
  return BytesChain(SharedBytes(buffer));
}

SharedBytes LogBuilder::entry(std::vector<CommandGroup> groups, const BytesChain& inline_data) {
  EntryHeader header;
  header.cluster_tag = cluster_tag_of("test-cluster");
  header.position = next_;
  header.previous = previous_;
  header.nonce = id_of<Nonce>(1'000'000 + next_.value);
  header.writer = id_of<Incarnation>(1);
  header.wall = WallMillis(1'700'000'000'000 + narrow<std::int64_t>(next_.value));
  header.level = kLevel;
  next_ = next_.next();
  previous_ = header.nonce;
  return encode_entry(header, groups, inline_data).flatten();
}

SharedBytes LogBuilder::genesis() {
  command::Genesis genesis;
  genesis.cluster_id = "test-cluster";
  genesis.feature_level = 1;
  genesis.shard_count = 1;
  genesis.created_ms = 1'700'000'000'000;
  return entry({{Incarnation(), CommandCounter(0), {encoded(genesis)}}});
}

void finalize_last_span(Cluster& cluster, PartitionRef at) {
  const State& state = cluster.state();
  SpanInfo last;
  state.visit_spans(at, Offset(0), [&](const SpanInfo& span) {
    last = span;
    return true;
  });
  command::ReplaceSpans command;
  command.segment_born_position = narrow<std::int64_t>(state.position().value().value);
  command.segment_counter = narrow<std::int64_t>(state.position().value().value);
  command.first_byte = 64;
  command.segment_bytes = std::int64_t{last.bytes} + 100;
  auto& run = command.runs.emplace_back();
  run.topic_id = at.topic;
  run.partition = at.partition.value;
  run.base_offset = last.base.value;
  run.end_offset = last.base.value + last.records;
  Hash128 seen = state.spans_digest(at, last.base, Offset(run.end_offset)).value();
  run.old_digest_low = static_cast<std::int64_t>(seen.low);
  run.old_digest_high = static_cast<std::int64_t>(seen.high);
  run.spans.push_back({last.records, last.bytes, last.max_timestamp_ms});
  CommandOutcome outcome = cluster.propose(command);
  ENSURE(outcome.refusal == Refusal::none && outcome.items.at(0).refusal == Refusal::none);
}

Incarnation broker_id(std::uint64_t broker) { return id_of<Incarnation>(500 + broker); }

TopicId topic_id(std::string_view name) { return id_of<TopicId>(hash64(weir::as_bytes(name))); }

Cluster::Cluster() {
  fold(log_.genesis());
  add_broker(1);
}

Folded Cluster::fold(SharedBytes entry) {
  Result<EntryView> view = decode_entry(entry);
  ENSURE(view.has_value());
  entries_.push_back(std::move(entry));
  return state_.apply(*view);
}

CommandOutcome Cluster::propose_encoded(EncodedCommand command, const BytesChain& inline_data,
                                        std::uint64_t broker) {
  Incarnation incarnation = broker_id(broker);
  CommandCounter counter = state_.last_counter(incarnation).value_or(CommandCounter(0)).next();
  Folded folded = fold(log_.entry({{incarnation, counter, {std::move(command)}}}, inline_data));
  ENSURE(folded.outcomes.size() == 1);
  return std::move(folded.outcomes[0]);
}

CommandOutcome Cluster::add_broker(std::uint64_t broker) {
  command::RegisterBroker command;
  command.folded_position = narrow<std::int64_t>(state_.position()->value);
  command.endpoints.push_back({"PLAIN", "plaintext", "host" + std::to_string(broker), 9092});
  command.software_version = "1";
  command.feature_level_min = 1;
  command.feature_level_max = 1;
  command.session_timeout_ms = 9'000;
  return propose(command, broker);
}

TopicId Cluster::add_topic(const std::string& name, std::int32_t partitions) {
  command::CreateTopics command;
  command.topics.push_back({name, topic_id(name), partitions, 1, {}});
  CommandOutcome outcome = propose(command);
  ENSURE(outcome.items.size() == 1 && outcome.items[0].refusal == Refusal::none);
  return topic_id(name);
}

std::vector<ItemOutcome> Cluster::append(const std::vector<NewSpan>& spans, std::uint64_t broker) {
  command::AppendSpans command;
  command.columns = encode_spans(spans);
  std::size_t bytes = 0;
  for (const NewSpan& span : spans) bytes += span.bytes;
  CommandOutcome outcome = propose_encoded(encoded(command), filler(bytes), broker);
  ENSURE(outcome.status == CommandStatus::applied);
  return outcome.items;
}

NewSpan plain_span(TopicId topic, std::int32_t partition, std::int32_t records) {
  NewSpan span;
  span.at = {topic, PartitionIndex(partition)};
  span.bytes = static_cast<std::uint32_t>(records) * 70;
  span.records = records;
  span.batches = records;
  span.max_timestamp_ms = 1'700'000'000'000;
  return span;
}

NewSpan run_span(TopicId topic, std::int32_t partition, std::int32_t records,
                 const ProducerRun& run) {
  NewSpan span = plain_span(topic, partition, records);
  span.run = run;
  return span;
}

ProducerRun run_of(std::int64_t producer, std::int16_t epoch, std::int32_t first_sequence) {
  return {ProducerId(producer), ProducerEpoch(epoch), first_sequence};
}

}  // namespace weir::state::testing
