#include "state/testing/random_log.h"

#include <algorithm>

#include "base/narrow.h"
#include "state/commands/advance_clock.h"
#include "state/commands/advance_horizon.h"
#include "state/commands/advance_start.h"
#include "state/commands/allocate_producer_ids.h"
#include "state/commands/alter_configs.h"
#include "state/commands/append_spans.h"
#include "state/commands/create_partitions.h"
#include "state/commands/create_topics.h"
#include "state/commands/delete_topics.h"
#include "state/commands/deregister_broker.h"
#include "state/commands/expire_broker.h"
#include "state/commands/expire_producers.h"
#include "state/commands/forget_segments.h"
#include "state/commands/note_snapshot.h"
#include "state/commands/raise_feature_level.h"
#include "state/commands/register_broker.h"
#include "state/commands/replace_spans.h"
#include "state/commands/report_digest.h"
#include "state/commands/vouch.h"
#include "state/tables.h"

namespace weir::state::testing {
namespace {

std::int64_t signed_of(Position position) { return narrow<std::int64_t>(position.value); }

}  // namespace

SharedBytes RandomLog::next(const State& state) {
  if (!state.position()) return log_.genesis();
  std::vector<CommandGroup> groups;
  std::size_t inline_bytes = 0;
  std::uint64_t count = 1 + below(3);
  for (std::uint64_t i = 0; i < count; ++i) {
    if (!old_groups_.empty() && chance(15)) {
      groups.push_back(old_groups_[below(old_groups_.size())]);
    } else {
      groups.push_back(group(state, below(incarnations_.size()), inline_bytes));
    }
  }
  old_groups_.push_back(groups.back());
  if (old_groups_.size() > 50) old_groups_.erase(old_groups_.begin());
  return log_.entry(std::move(groups), filler(inline_bytes));
}

CommandGroup RandomLog::group(const State& state, std::uint64_t broker, std::size_t& inline_bytes) {
  std::uint64_t& generation = incarnations_[broker];
  CommandGroup group;
  group.incarnation = broker_id(broker * 1'000 + generation);
  std::optional<CommandCounter> last = state.last_counter(group.incarnation);
  if (!last) {
    if (chance(2)) group.incarnation = broker_id(broker * 1'000 + ++generation);
    group.first = CommandCounter(chance(20) ? 2 : 1);
    group.commands.push_back(registration(state));
    return group;
  }
  group.first = last->next();
  if (chance(20)) group.first = group.first.next();
  if (chance(20)) group.first = CommandCounter(last->value);
  std::uint64_t count = 1 + below(4);
  for (std::uint64_t i = 0; i < count; ++i) {
    Pick picked = pick(state, broker, inline_bytes);
    inline_bytes += picked.inline_bytes;
    group.commands.push_back(std::move(picked.command));
  }
  return group;
}

RandomLog::Pick RandomLog::pick(const State& state, std::uint64_t broker,
                                std::size_t inline_offset) {
  std::uint64_t what = below(100);
  Pick picked;
  if (what < 55) {
    picked = append(state, inline_offset);
  } else if (what < 70) {
    picked.command = topics(state);
  } else if (what < 78) {
    picked.command = configs(state);
  } else if (what < 94) {
    picked.command = maintenance(state);
  } else {
    picked.command = membership(state, broker);
  }
  if (chance(40) && !picked.command.body.empty()) {
    picked.command.body = SharedBytes::copy_of(picked.command.body.view());
    picked.command.body.mutable_view()[below(picked.command.body.size())] =
        static_cast<std::byte>(random_());
  }
  if (chance(200)) picked.command.type = static_cast<std::uint16_t>(random_());
  return picked;
}

// --- what commands name ---

std::string RandomLog::some_name() {
  static constexpr std::array<std::string_view, 10> kNames = {
      "orders", "or.ders", "or_ders", "payments", "a", "b", "c", "d", "clicks", "..",
  };
  return std::string(kNames[below(kNames.size())]);
}

const TopicInfo* RandomLog::some_topic(const State& state) {
  const TopicInfo* found = nullptr;
  std::uint64_t skip = below(state.topic_count() + 1);
  state.visit_topics("", [&](const TopicInfo& topic) {
    found = &topic;
    return skip-- > 0;
  });
  return found;
}

PartitionRef RandomLog::some_partition(const State& state) {
  const TopicInfo* topic = some_topic(state);
  if (topic == nullptr || chance(50)) return {id_of<TopicId>(below(100)), PartitionIndex(0)};
  auto partitions = narrow<std::uint64_t>(topic->partitions);
  return {topic->id,
          PartitionIndex(narrow<std::int32_t>(below(partitions + (chance(30) ? 1 : 0))))};
}

// --- commands ---

EncodedCommand RandomLog::registration(const State& state) {
  command::RegisterBroker command;
  command.folded_position = signed_of(*state.position()) - narrow<std::int64_t>(below(3));
  command.requested_node_id = chance(3) ? narrow<std::int32_t>(below(4)) : -1;
  if (chance(2)) command.zone = chance(2) ? "zone-a" : "zone-b";
  command.shared_identity = chance(4);
  command.endpoints.push_back({"PLAIN", "plaintext", "host" + std::to_string(below(4)), 9092});
  command.software_version = "0.1";
  command.feature_level_min = narrow<std::int16_t>(below(2));
  command.feature_level_max = narrow<std::int16_t>(chance(10) ? 0 : 1 + below(2));
  command.session_timeout_ms = 9'000;
  return encoded(command);
}

NewSpan RandomLog::span(const State& state) {
  PartitionRef at = some_partition(state);
  NewSpan span = plain_span(at.topic, at.partition.value, narrow<std::int32_t>(1 + below(20)));
  span.batches = narrow<std::int32_t>(1 + below(narrow<std::uint64_t>(span.records)));
  span.max_timestamp_ms += narrow<std::int64_t>(below(100'000));
  if (!chance(3)) span.run = run(state, at, span.records);
  return span;
}

ProducerRun RandomLog::run(const State& state, const PartitionRef& at, std::int32_t records) {
  ProducerRun run =
      run_of(narrow<std::int64_t>(below(20)), narrow<std::int16_t>(chance(10) ? 1 : 0), 0);
  if (chance(3)) return run;
  // Finds a sequence that is accepted now, or is a duplicate, by asking.
  for (std::int32_t guess = 0; guess < 300; ++guess) {
    run.first_sequence = guess;
    Refusal refusal = state.check_run(at, run, records).refusal;
    if (refusal == Refusal::none || (refusal == Refusal::duplicate && chance(8))) return run;
  }
  run.first_sequence = narrow<std::int32_t>(below(1u << 31));
  return run;
}

RandomLog::Pick RandomLog::append(const State& state, std::size_t inline_offset) {
  std::vector<NewSpan> spans(1 + below(8));
  std::size_t bytes = 0;
  for (NewSpan& one : spans) {
    one = span(state);
    bytes += one.bytes;
  }
  command::AppendSpans command;
  command.columns = encode_spans(spans);
  if (chance(2)) {
    command.inline_offset = narrow<std::int64_t>(inline_offset);
    return {encoded(command), chance(30) ? bytes / 2 : bytes};
  }
  std::uint64_t position = state.position()->value;
  command.segment_born_position = narrow<std::int64_t>(position - std::min(position, below(20)));
  command.segment_counter = narrow<std::int64_t>(chance(4) ? below(3) : next_id_++);
  command.first_byte = 64;
  command.segment_bytes = chance(4) ? 1'000'000 : narrow<std::int64_t>(bytes + 64 + below(100));
  return {encoded(command), 0};
}

EncodedCommand RandomLog::topics(const State& state) {
  const TopicInfo* topic = some_topic(state);
  std::uint64_t what = below(10);
  if (topic == nullptr || what < 5) {
    command::CreateTopics command;
    std::uint64_t count = 1 + below(2);
    for (std::uint64_t i = 0; i < count; ++i) {
      command::CreateTopics::NewTopic fresh;
      fresh.name = some_name();
      fresh.topic_id = id_of<TopicId>(chance(30) ? 1 : 100 + next_id_++);
      fresh.partitions = narrow<std::int32_t>(below(6));
      fresh.replication_factor = 3;
      if (chance(2)) fresh.configs.push_back({"retention.ms", std::to_string(below(1'000))});
      command.topics.push_back(std::move(fresh));
    }
    return encoded(command);
  }
  if (what < 7) {
    command::DeleteTopics command;
    command.topic_ids.push_back(chance(10) ? id_of<TopicId>(5) : topic->id);
    return encoded(command);
  }
  command::CreatePartitions command;
  command.topics.push_back({topic->id, topic->partitions + narrow<std::int32_t>(below(3))});
  return encoded(command);
}

EncodedCommand RandomLog::configs(const State& state) {
  command::AlterConfigs command;
  command::AlterConfigs::AlteredResource resource;
  resource.guard_version = chance(4) ? narrow<std::int32_t>(below(3)) : -1;
  const TopicInfo* topic = some_topic(state);
  if (topic != nullptr && chance(2)) {
    resource.resource_type = 2;
    resource.resource_name = chance(10) ? "unknown" : topic->name;
  } else if (chance(3)) {
    resource.resource_type = narrow<std::int8_t>(chance(2) ? 16 : 32);
    resource.resource_name = chance(20) ? "" : some_name();
  } else {
    resource.resource_type = narrow<std::int8_t>(chance(10) ? 7 : 4);
    resource.resource_name = chance(2) ? "" : std::to_string(below(4));
  }
  resource.changes.push_back(
      {"key" + std::to_string(below(3)),
       chance(3) ? std::nullopt : std::optional<std::string>(std::to_string(below(9)))});
  command.resources.push_back(std::move(resource));
  return encoded(command);
}

EncodedCommand RandomLog::maintenance(const State& state) {
  std::uint64_t what = below(18);
  if (what >= 15) return replacement(state);
  if (what == 14) return digest_report(state);
  if (what >= 12) {
    // Readings of clocks that go wrong now and then, by hours or a year.
    std::uint64_t ms = 1'700'000'000'000 + state.position()->value * 1'000;
    if (chance(5)) ms += below(2) == 0 ? 20'000'000 : 31'536'000'000;
    return encoded(command::AdvanceClock{.wall_ms = narrow<std::int64_t>(chance(40) ? 0 : ms)});
  }
  if (what < 5) {
    command::AdvanceStart command;
    PartitionRef at = some_partition(state);
    std::int64_t end = state.partition(at) ? state.partition(at)->end.value : 10;
    auto start = narrow<std::int64_t>(below(narrow<std::uint64_t>(end) + 2));
    auto& one = command.partitions.emplace_back();
    one.topic_id = at.topic;
    one.partition = at.partition.value;
    one.start_offset = start;
    if (chance(4) && state.partition(at))
      one.guard_start = state.partition(at)->start.value + (chance(3) ? 1 : 0);
    if (chance(8)) one.guard_config_version = narrow<std::int32_t>(below(2));
    return encoded(command);
  }
  if (what < 7) {
    command::AllocateProducerIds command;
    command.count = narrow<std::int32_t>(below(1'000));
    return encoded(command);
  }
  if (what < 9) {
    command::ExpireProducers command;
    ProducerId id(narrow<std::int64_t>(below(20)));
    const Producer* producer = state.tables().producers.find(id);
    Position last = producer != nullptr && !chance(4) ? producer->last_position() : Position(1);
    command.producers.push_back({id.value, signed_of(last)});
    return encoded(command);
  }
  if (what < 10) {
    command::NoteSnapshot command;
    command.snapshot_position = signed_of(*state.position());
    command.snapshot_counter = 1;
    command.digest_low = static_cast<std::int64_t>(state.digest().low);
    command.digest_high = static_cast<std::int64_t>(state.digest().high);
    command.bytes = 1'000;
    return encoded(command);
  }
  if (what < 11) {
    command::AdvanceHorizon command;
    command.horizon = signed_of(*state.position()) - narrow<std::int64_t>(below(10));
    return encoded(command);
  }
  command::ForgetSegments command;
  state.visit_awaiting_deletion([&](const ObjectRef& object) {
    command.segments.push_back({signed_of(object.born), Uuid::from_bytes(object.writer.view()),
                                narrow<std::int64_t>(object.counter)});
    return command.segments.size() < 3;
  });
  return encoded(command);
}

EncodedCommand RandomLog::replacement(const State& state) {
  command::ReplaceSpans command;
  std::uint64_t position = state.position()->value;
  command.segment_born_position = narrow<std::int64_t>(position - std::min(position, below(20)));
  command.segment_counter = narrow<std::int64_t>(chance(20) ? below(3) : next_id_++);
  command.first_byte = 64;
  std::int64_t bytes = 64;
  for (std::uint64_t i = 0; i <= below(4); ++i) {
    PartitionRef at = some_partition(state);
    std::vector<SpanInfo> spans;
    state.visit_spans(at, Offset(0), [&](const SpanInfo& span) {
      spans.push_back(span);
      return spans.size() < 12;
    });
    if (spans.empty()) continue;
    std::size_t first = below(spans.size());
    std::size_t last = first + below(spans.size() - first);
    command::ReplaceSpans::ReplacedRun run;
    run.topic_id = at.topic;
    run.partition = at.partition.value;
    run.base_offset = spans[first].base.value;
    run.end_offset = spans[last].base.value + spans[last].records;
    Hash128 seen = state.spans_digest(at, Offset(run.base_offset), Offset(run.end_offset)).value();
    run.old_digest_low = static_cast<std::int64_t>(seen.low) + (chance(8) ? 1 : 0);
    run.old_digest_high = static_cast<std::int64_t>(seen.high);
    std::int64_t offsets = run.end_offset - run.base_offset;
    std::int64_t part = chance(3) ? offsets / 2 : 0;
    if (part > 0) run.spans.push_back({part, 10, 1});
    run.spans.push_back({offsets - part, narrow<std::int64_t>(1 + below(100)), 2});
    for (const auto& span : run.spans) bytes += span.bytes;
    if (chance(4)) run.compacted_to = run.end_offset + (chance(10) ? 1'000 : 0);
    command.runs.push_back(std::move(run));
  }
  command.segment_bytes = bytes + (chance(20) ? -1 : 40);
  return encoded(command);
}

EncodedCommand RandomLog::digest_report(const State& state) {
  command::ReportDigest command;
  if (!state.noted_snapshots().empty())
    command.snapshot_position = signed_of(state.noted_snapshots().back().position);
  command.digest_low = narrow<std::int64_t>(below(3));
  return encoded(command);
}

EncodedCommand RandomLog::membership(const State& state, std::uint64_t broker) {
  std::uint64_t what = below(8);
  if (what < 4) return encoded(command::Vouch{});
  if (what < 5) return encoded(command::DeregisterBroker{});
  if (what < 6) {
    command::RaiseFeatureLevel command;
    command.feature_level = narrow<std::int16_t>(below(2));
    return encoded(command);
  }
  command::ExpireBroker command;
  std::uint64_t other = (broker + 1) % incarnations_.size();
  Incarnation incarnation = broker_id(other * 1'000 + incarnations_[other]);
  command.incarnation = Uuid::from_bytes(incarnation.view());
  const BrokerState* victim = state.broker(incarnation);
  command.voucher_position =
      victim != nullptr && !chance(4) ? signed_of(victim->info.last_sign) : 3;
  return encoded(command);
}

}  // namespace weir::state::testing
