// Spans, objects and starts through the fold.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "state/commands/advance_horizon.h"
#include "state/commands/advance_start.h"
#include "state/commands/append_spans.h"
#include "state/commands/delete_topics.h"
#include "state/commands/expire_producers.h"
#include "state/commands/forget_segments.h"
#include "state/testing/log_builder.h"

namespace weir::state {
namespace {

using testing::broker_id;
using testing::Cluster;
using testing::encoded;
using testing::filler;
using testing::id_of;
using testing::plain_span;
using testing::run_of;
using testing::run_span;

std::vector<SpanInfo> spans_of(const State& state, PartitionRef at, std::int64_t from = 0) {
  std::vector<SpanInfo> spans;
  state.visit_spans(at, Offset(from), [&](const SpanInfo& span) {
    spans.push_back(span);
    return true;
  });
  return spans;
}

/// A segment of these spans whose first region begins at byte 64.
command::AppendSpans segment(const State& state, std::int64_t counter,
                             const std::vector<NewSpan>& spans) {
  command::AppendSpans command;
  command.segment_born_position = static_cast<std::int64_t>(state.position()->value);
  command.segment_counter = counter;
  command.first_byte = 64;
  command.segment_bytes = 1'000'000;
  command.columns = encode_spans(spans);
  return command;
}

ItemOutcome advance(Cluster& cluster, PartitionRef at, std::int64_t start) {
  command::AdvanceStart command;
  command.partitions.push_back({at.topic, at.partition.value, start, -1, -1});
  return cluster.propose(command).items.at(0);
}

TEST(Append, gives_dense_offsets_and_remembers_where_the_bytes_are) {
  Cluster cluster;
  TopicId t = cluster.add_topic("t", 2);
  std::vector<ItemOutcome> items =
      cluster.append({plain_span(t, 0, 3), plain_span(t, 1, 2), plain_span(t, 0, 4)});
  EXPECT_EQ(items,
            (std::vector<ItemOutcome>{{Refusal::none, 0}, {Refusal::none, 0}, {Refusal::none, 3}}));
  PartitionRef at{t, PartitionIndex(0)};
  std::vector<SpanInfo> spans = spans_of(cluster.state(), at);
  ASSERT_EQ(spans.size(), 2u);
  EXPECT_EQ(spans[1].base, Offset(3));
  EXPECT_EQ(spans[1].records, 4);
  EXPECT_EQ(spans[1].first_byte, 5 * 70u);
  EXPECT_EQ(spans[1].bytes, 4 * 70u);
  EXPECT_EQ(spans[1].epoch, cluster.state().placement_epoch());
  EXPECT_TRUE(spans[1].object.is_inline);
  EXPECT_EQ(spans[1].object.position, *cluster.state().position());
  Nonce nonce = cluster.state().nonce();
  std::uint64_t tag = 0;
  std::memcpy(&tag, nonce.bytes.data(), 8);
  EXPECT_EQ(spans[1].object.nonce_tag, tag);
  EXPECT_EQ(cluster.state().inline_bytes_live(), 9 * 70u);
  EXPECT_EQ(cluster.state().oldest_inline(), cluster.state().position());
  std::optional<PartitionInfo> info = cluster.state().partition(at);
  EXPECT_EQ(info->end, Offset(7));
  EXPECT_EQ(info->last_stable, Offset(7));
  EXPECT_EQ(info->bytes, 7 * 70u);
  EXPECT_EQ(spans_of(cluster.state(), at, 3).size(), 1u);
  EXPECT_EQ(spans_of(cluster.state(), at, 7).size(), 0u);
}

TEST(Append, names_segments_by_their_birth_writer_and_counter) {
  Cluster cluster;
  TopicId t = cluster.add_topic("t", 1);
  Position born = *cluster.state().position();
  ASSERT_EQ(cluster.propose(segment(cluster.state(), 5, {plain_span(t, 0, 3)})).refusal,
            Refusal::none);
  SpanInfo span = spans_of(cluster.state(), {t, PartitionIndex(0)}).at(0);
  EXPECT_FALSE(span.object.is_inline);
  EXPECT_EQ(span.object.born, born);
  EXPECT_EQ(span.object.writer, broker_id(1));
  EXPECT_EQ(span.object.counter, 5u);
  EXPECT_EQ(span.object.bytes, 1'000'000u);
  EXPECT_EQ(span.first_byte, 64u);
  EXPECT_EQ(cluster.state().segment_live_bytes(born, broker_id(1), 5), 210u);
  EXPECT_FALSE(cluster.state().segment_live_bytes(born, broker_id(1), 6).has_value());
}

TEST(Append, several_commands_of_one_entry_share_its_inline_section) {
  Cluster cluster;
  TopicId t = cluster.add_topic("t", 1);
  command::AppendSpans first;
  first.columns = encode_spans(std::vector{plain_span(t, 0, 1)});
  command::AppendSpans second = first;
  second.inline_offset = 70;
  CommandGroup group{broker_id(1),
                     cluster.state().last_counter(broker_id(1))->next(),
                     {encoded(first), encoded(second)}};
  cluster.fold(cluster.log().entry({group}, filler(140)));
  std::vector<SpanInfo> spans = spans_of(cluster.state(), {t, PartitionIndex(0)});
  ASSERT_EQ(spans.size(), 2u);
  EXPECT_EQ(spans[1].first_byte, 70u);
  EXPECT_EQ(spans[0].object, spans[1].object);
  EXPECT_EQ(cluster.state().counts().inline_objects, 1u);
}

TEST(Append, beyond_its_object_is_malformed) {
  Cluster cluster;
  TopicId t = cluster.add_topic("t", 1);
  command::AppendSpans command;
  command.columns = encode_spans(std::vector{plain_span(t, 0, 1)});
  EXPECT_EQ(cluster.propose_encoded(encoded(command), filler(69)).refusal, Refusal::malformed);
  command.inline_offset = 1;
  EXPECT_EQ(cluster.propose_encoded(encoded(command), filler(70)).refusal, Refusal::malformed);
  command.inline_offset = -1;
  EXPECT_EQ(cluster.propose_encoded(encoded(command), filler(70)).refusal, Refusal::malformed);
  command::AppendSpans in_segment = segment(cluster.state(), 1, {plain_span(t, 0, 1)});
  in_segment.segment_bytes = 64 + 69;
  EXPECT_EQ(cluster.propose(in_segment).refusal, Refusal::malformed);
  in_segment = segment(cluster.state(), 1, {plain_span(t, 0, 1)});
  in_segment.segment_born_position += 1;
  EXPECT_EQ(cluster.propose(in_segment).refusal, Refusal::malformed);
  in_segment.columns = SharedBytes();
  EXPECT_EQ(cluster.propose(in_segment).refusal, Refusal::malformed);
  EXPECT_EQ(cluster.state().counts().spans, 0u);
}

TEST(Append, to_unknown_places_refuses_those_spans_only) {
  Cluster cluster;
  TopicId t = cluster.add_topic("t", 1);
  std::vector<ItemOutcome> items = cluster.append(
      {plain_span(id_of<TopicId>(1), 0, 1), plain_span(t, 1, 1), plain_span(t, 0, 1)});
  EXPECT_EQ(items[0].refusal, Refusal::unknown_topic);
  EXPECT_EQ(items[1].refusal, Refusal::unknown_partition);
  EXPECT_EQ(items[2], (ItemOutcome{Refusal::none, 0}));
  EXPECT_EQ(spans_of(cluster.state(), {t, PartitionIndex(0)}).at(0).first_byte, 140u);
  EXPECT_EQ(cluster.state().inline_bytes_live(), 70u);
}

TEST(Append, of_a_segment_born_before_the_horizon_is_refused) {
  Cluster cluster;
  TopicId t = cluster.add_topic("t", 1);
  command::AppendSpans old = segment(cluster.state(), 1, {plain_span(t, 0, 1)});
  auto horizon = static_cast<std::int64_t>(cluster.state().position()->value + 1);
  cluster.propose(command::AdvanceHorizon{.horizon = horizon});
  EXPECT_EQ(cluster.propose(old).refusal, Refusal::born_before_horizon);
  EXPECT_EQ(cluster.propose(segment(cluster.state(), 2, {plain_span(t, 0, 1)})).refusal,
            Refusal::none);
}

TEST(Append, of_an_idempotent_producer_is_once_and_in_order) {
  Cluster cluster;
  TopicId t = cluster.add_topic("t", 1);
  PartitionRef at{t, PartitionIndex(0)};
  EXPECT_EQ(cluster.state().check_run(at, run_of(7, 0, 3), 1).refusal, Refusal::unknown_producer);
  EXPECT_EQ(cluster.append({run_span(t, 0, 3, run_of(7, 0, 0))}).at(0),
            (ItemOutcome{Refusal::none, 0}));
  cluster.append({plain_span(t, 0, 10)});
  EXPECT_EQ(cluster.state().check_run(at, run_of(7, 0, 3), 1), (ItemOutcome{Refusal::none, 13}));
  std::vector<ItemOutcome> items = cluster.append({
      run_span(t, 0, 3, run_of(7, 0, 0)),  // again
      run_span(t, 0, 2, run_of(7, 0, 3)),  // the next
      run_span(t, 0, 1, run_of(7, 0, 6)),  // a gap
      run_span(t, 0, 1, run_of(8, 0, 1)),  // nobody knows 8
      run_span(t, 0, 1, run_of(7, 1, 0)),  // a new epoch
      run_span(t, 0, 1, run_of(7, 0, 5)),  // the old one
  });
  EXPECT_EQ(items, (std::vector<ItemOutcome>{{Refusal::duplicate, 0},
                                             {Refusal::none, 13},
                                             {Refusal::out_of_order_sequence, 0},
                                             {Refusal::unknown_producer, 0},
                                             {Refusal::none, 15},
                                             {Refusal::invalid_producer_epoch, 0}}));
  EXPECT_EQ(cluster.state().partition(at)->end, Offset(16));
}

TEST(Append, state_of_a_producer_is_per_partition) {
  Cluster cluster;
  TopicId t = cluster.add_topic("t", 2);
  cluster.append({run_span(t, 0, 3, run_of(7, 0, 0))});
  EXPECT_EQ(cluster.append({run_span(t, 1, 1, run_of(7, 0, 3))}).at(0).refusal,
            Refusal::unknown_producer);
  EXPECT_EQ(cluster.append({run_span(t, 1, 1, run_of(7, 0, 0))}).at(0).refusal, Refusal::none);
  EXPECT_EQ(cluster.state().counts().producers, 1u);
  EXPECT_EQ(cluster.state().counts().producer_partitions, 2u);
}

TEST(Producers, expire_as_a_whole_while_nothing_newer_came) {
  Cluster cluster;
  TopicId t = cluster.add_topic("t", 2);
  cluster.append({run_span(t, 0, 1, run_of(7, 0, 0)), run_span(t, 1, 1, run_of(7, 0, 0))});
  auto expire = [&](std::int64_t id, std::uint64_t position) {
    command::ExpireProducers command;
    command.producers.push_back({id, static_cast<std::int64_t>(position)});
    return cluster.propose(command).items.at(0).refusal;
  };
  std::uint64_t last = cluster.state().position()->value;
  EXPECT_EQ(expire(7, last - 1), Refusal::guard_mismatch);
  EXPECT_EQ(expire(8, last), Refusal::not_found);
  EXPECT_EQ(expire(7, last), Refusal::none);
  EXPECT_EQ(cluster.state().counts().producer_partitions, 0u);
  EXPECT_EQ(cluster.append({run_span(t, 0, 1, run_of(7, 0, 1))}).at(0).refusal,
            Refusal::unknown_producer);
}

TEST(Starts, advance_within_the_partition_and_free_what_lies_below) {
  Cluster cluster;
  TopicId t = cluster.add_topic("t", 1);
  PartitionRef at{t, PartitionIndex(0)};
  cluster.append({plain_span(t, 0, 10)});
  Position second = cluster.log().next();
  cluster.append({plain_span(t, 0, 10)});
  EXPECT_EQ(advance(cluster, at, 5), (ItemOutcome{Refusal::none, 5}));
  EXPECT_EQ(spans_of(cluster.state(), at).size(), 2u);
  EXPECT_EQ(advance(cluster, at, 3), (ItemOutcome{Refusal::none, 5}));
  EXPECT_EQ(advance(cluster, at, 10), (ItemOutcome{Refusal::none, 10}));
  EXPECT_EQ(cluster.state().oldest_inline(), second);
  EXPECT_EQ(advance(cluster, at, 21).refusal, Refusal::offset_out_of_range);
  EXPECT_EQ(advance(cluster, at, -1).refusal, Refusal::malformed);
  EXPECT_EQ(advance(cluster, {t, PartitionIndex(1)}, 0).refusal, Refusal::unknown_partition);
  EXPECT_EQ(advance(cluster, {id_of<TopicId>(1), PartitionIndex(0)}, 0).refusal,
            Refusal::unknown_topic);
  EXPECT_EQ(advance(cluster, at, 20), (ItemOutcome{Refusal::none, 20}));
  EXPECT_EQ(cluster.state().inline_bytes_live(), 0u);
  EXPECT_FALSE(cluster.state().oldest_inline().has_value());
  EXPECT_EQ(cluster.append({plain_span(t, 0, 1)}).at(0), (ItemOutcome{Refusal::none, 20}));
}

TEST(Segments, await_deletion_when_nothing_names_them_until_they_are_forgotten) {
  Cluster cluster;
  TopicId t = cluster.add_topic("t", 1);
  PartitionRef at{t, PartitionIndex(0)};
  Position born = *cluster.state().position();
  cluster.propose(segment(cluster.state(), 1, {plain_span(t, 0, 10)}));
  auto awaiting = [&] {
    std::size_t count = 0;
    cluster.state().visit_awaiting_deletion([&](const ObjectRef& object) {
      EXPECT_EQ(object.born, born);
      return ++count < 10;
    });
    return count;
  };
  auto forget = [&] {
    command::ForgetSegments command;
    command.segments.push_back(
        {static_cast<std::int64_t>(born.value), Uuid::from_bytes(broker_id(1).view()), 1});
    return cluster.propose(command).items.at(0).refusal;
  };
  EXPECT_EQ(awaiting(), 0u);
  EXPECT_EQ(forget(), Refusal::guard_mismatch);  // named
  advance(cluster, at, 10);
  EXPECT_EQ(awaiting(), 1u);
  EXPECT_EQ(forget(), Refusal::guard_mismatch);  // a command may still name it
  cluster.propose(command::AdvanceHorizon{.horizon = static_cast<std::int64_t>(born.value + 1)});
  EXPECT_EQ(forget(), Refusal::none);
  EXPECT_EQ(awaiting(), 0u);
  EXPECT_EQ(forget(), Refusal::not_found);
}

TEST(Segments, of_which_nothing_was_accepted_await_deletion_and_may_be_named_again) {
  Cluster cluster;
  TopicId t = cluster.add_topic("t", 1);
  command::AppendSpans command = segment(cluster.state(), 1, {run_span(t, 0, 1, run_of(7, 0, 9))});
  EXPECT_EQ(cluster.propose(command).items.at(0).refusal, Refusal::unknown_producer);
  EXPECT_EQ(
      cluster.state().segment_live_bytes(
          Position(static_cast<std::uint64_t>(command.segment_born_position)), broker_id(1), 1),
      0u);
  command.columns = encode_spans(std::vector{plain_span(t, 0, 1)});
  EXPECT_EQ(cluster.propose(command).items.at(0).refusal, Refusal::none);
  cluster.state().visit_awaiting_deletion([](const ObjectRef&) {
    ADD_FAILURE() << "it is named again";
    return true;
  });
  command.segment_bytes += 1;  // another object under the same name
  EXPECT_EQ(cluster.propose(command).refusal, Refusal::malformed);
}

TEST(Changes, are_told_once_per_partition) {
  Cluster cluster;
  TopicId t = cluster.add_topic("t", 3);
  EXPECT_EQ(cluster.state().take_changed_partitions().partitions.size(), 3u);
  cluster.append({plain_span(t, 1, 1), plain_span(t, 1, 1), plain_span(t, 2, 1)});
  ChangedPartitions changed = cluster.state().take_changed_partitions();
  EXPECT_FALSE(changed.all);
  EXPECT_EQ(changed.partitions,
            (std::vector<PartitionRef>{{t, PartitionIndex(1)}, {t, PartitionIndex(2)}}));
  EXPECT_TRUE(cluster.state().take_changed_partitions().partitions.empty());
  cluster.propose(command::DeleteTopics{.topic_ids = {t}});
  EXPECT_EQ(cluster.state().take_changed_partitions().partitions.size(), 3u);
  cluster.add_topic("large", 70'000);
  EXPECT_TRUE(cluster.state().take_changed_partitions().all);
  EXPECT_FALSE(cluster.state().take_changed_partitions().all);
}

TEST(Timestamps, find_spans) {
  Cluster cluster;
  TopicId t = cluster.add_topic("t", 1);
  PartitionRef at{t, PartitionIndex(0)};
  EXPECT_FALSE(cluster.state().span_with_max_timestamp(at).has_value());
  EXPECT_EQ(cluster.state().partition(at)->max_timestamp_ms, -1);
  for (std::int64_t timestamp : {100, 50, 300, 300, 200}) {
    NewSpan span = plain_span(t, 0, 1);
    span.max_timestamp_ms = timestamp;
    cluster.append({span});
  }
  EXPECT_EQ(cluster.state().first_span_with_timestamp(at, 101)->base, Offset(2));
  EXPECT_EQ(cluster.state().first_span_with_timestamp(at, 0)->base, Offset(0));
  EXPECT_FALSE(cluster.state().first_span_with_timestamp(at, 301).has_value());
  EXPECT_EQ(cluster.state().span_with_max_timestamp(at)->base, Offset(2));
  EXPECT_EQ(cluster.state().partition(at)->max_timestamp_ms, 300);
}

/// One producer as Kafka's: five batches under way, retries through brokers that lag. What it was
/// told, and what is in the log, must agree (spec Runs).
TEST(Append, a_producer_that_retries_at_random_never_duplicates_or_reorders) {
  std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  Cluster cluster;
  TopicId t = cluster.add_topic("t", 1);
  PartitionRef at{t, PartitionIndex(0)};
  std::map<std::int32_t, std::int64_t> told;  // batch of two records -> offset
  std::int32_t acknowledged = 0;
  for (int step = 0; step < 3'000; ++step) {
    std::int32_t batch =
        acknowledged + static_cast<std::int32_t>(random() % 5) - (random() % 4 == 0 ? 2 : 0);
    if (batch < 0) continue;
    if (random() % 5 == 0) cluster.append({plain_span(t, 0, 1)});
    ItemOutcome expected = cluster.state().check_run(at, run_of(7, 0, batch * 2), 2);
    NewSpan span = run_span(t, 0, 2, run_of(7, 0, batch * 2));
    span.batches = 1;
    ItemOutcome outcome = cluster.append({span}).at(0);
    ASSERT_EQ(outcome, expected);
    if (outcome.refusal == Refusal::none) {
      ASSERT_EQ(batch, static_cast<std::int32_t>(told.size()));
      ASSERT_TRUE(told.emplace(batch, outcome.value).second);
    } else if (outcome.refusal == Refusal::duplicate) {
      ASSERT_EQ(told.at(batch), outcome.value);
    } else if (batch <= std::ssize(told) && std::ssize(told) - batch <= 5) {
      FAIL() << "batch " << batch << " refused: " << to_string(outcome.refusal);
    }
    while (told.contains(acknowledged) && random() % 2 == 0) ++acknowledged;
  }
  ASSERT_GT(told.size(), 100u);
}

}  // namespace
}  // namespace weir::state
