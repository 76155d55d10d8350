// The fold as a whole: equal states from equal entries, numbers of commands, genesis, totality.
#include <gtest/gtest.h>

#include <random>

#include "state/commands/advance_horizon.h"
#include "state/commands/allocate_producer_ids.h"
#include "state/commands/genesis.h"
#include "state/commands/note_snapshot.h"
#include "state/commands/raise_feature_level.h"
#include "state/commands/vouch.h"
#include "state/testing/random_log.h"

namespace weir::state {
namespace {

using testing::broker_id;
using testing::Cluster;
using testing::encoded;
using testing::id_of;
using testing::LogBuilder;
using testing::RandomLog;

EntryView decoded(const SharedBytes& bytes) {
  Result<EntryView> entry = decode_entry(bytes);
  EXPECT_TRUE(entry.has_value());
  return *entry;
}

TEST(Fold, two_states_from_the_same_entries_are_equal_after_each) {
  std::uint64_t seed = std::random_device{}();
  for (int round = 0; round < 5; ++round, ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomLog log(seed);
    State a;
    State b;
    std::size_t applied = 0;
    std::size_t refused = 0;
    for (int i = 0; i < 500; ++i) {
      SharedBytes entry = log.next(a);
      Folded of_a = a.apply(decoded(entry));
      // The second state is spoken to by other code between entries, and sees no inline bytes.
      b.take_changed_partitions();
      EntryView view = decoded(entry);
      Folded of_b = b.apply(
          decoded(entry.slice(0, view.inline_bytes == 0 ? entry.size() : view.inline_offset)));
      ASSERT_EQ(of_a.outcomes, of_b.outcomes);
      ASSERT_EQ(a.digest(), b.digest());
      for (const CommandOutcome& outcome : of_a.outcomes) {
        applied += outcome.status == CommandStatus::applied ? 1 : 0;
        refused += outcome.status == CommandStatus::refused ? 1 : 0;
      }
    }
    EXPECT_GT(applied, 300u);
    EXPECT_GT(refused, 10u);
  }
}

TEST(Fold, another_command_anywhere_changes_the_digest) {
  Cluster a;
  Cluster b;
  ASSERT_EQ(a.state().digest(), b.state().digest());
  a.propose(command::Vouch{});
  b.propose(command::AllocateProducerIds{.count = 1});
  EXPECT_NE(a.state().digest(), b.state().digest());
}

TEST(Fold, digests_are_kept_for_4096_positions) {
  Cluster cluster;
  std::vector<Hash128> digests = {*cluster.state().digest_at(Position(0)),
                                  *cluster.state().digest_at(Position(1))};
  for (int i = 0; i < 5'000; ++i) {
    cluster.propose(command::Vouch{});
    digests.push_back(cluster.state().digest());
  }
  std::uint64_t last = cluster.state().position()->value;
  for (std::uint64_t at = 0; at <= last; ++at) {
    std::optional<Hash128> kept = cluster.state().digest_at(Position(at));
    ASSERT_EQ(kept.has_value(), at + 4'096 > last);
    if (kept) {
      ASSERT_EQ(*kept, digests[at]);
    }
  }
  EXPECT_FALSE(cluster.state().digest_at(Position(last + 1)).has_value());
}

// --- duty 4d ---

CommandGroup vouches(std::uint64_t first, std::size_t count, std::uint64_t broker = 1) {
  CommandGroup group{broker_id(broker), CommandCounter(first), {}};
  for (std::size_t i = 0; i < count; ++i) group.commands.push_back(encoded(command::Vouch{}));
  return group;
}

std::vector<CommandStatus> statuses(const Folded& folded) {
  std::vector<CommandStatus> found;
  for (const CommandOutcome& outcome : folded.outcomes) found.push_back(outcome.status);
  return found;
}

TEST(Fold, applies_each_counter_once_and_in_order) {
  Cluster cluster;  // counter 1 is used
  using enum CommandStatus;
  EXPECT_EQ(statuses(cluster.fold(cluster.log().entry({vouches(1, 3)}))),
            (std::vector{repeat, applied, applied}));
  EXPECT_EQ(statuses(cluster.fold(cluster.log().entry({vouches(5, 2)}))),
            (std::vector{ahead, ahead}));
  EXPECT_EQ(cluster.state().last_counter(broker_id(1)), CommandCounter(3));
  EXPECT_EQ(statuses(cluster.fold(cluster.log().entry({vouches(4, 1), vouches(4, 2)}))),
            (std::vector{applied, repeat, applied}));
}

TEST(Fold, a_refusal_consumes_the_counter) {
  Cluster cluster;
  CommandOutcome outcome = cluster.propose_encoded({999, SharedBytes()}, {});
  EXPECT_EQ(outcome.status, CommandStatus::refused);
  EXPECT_EQ(outcome.refusal, Refusal::unsupported_level);
  EXPECT_EQ(cluster.state().last_counter(broker_id(1)), CommandCounter(2));
}

TEST(Fold, refuses_what_does_not_decode_and_what_goes_on_behind_its_end) {
  Cluster cluster;
  EncodedCommand command = encoded(command::AllocateProducerIds{.count = 5});
  std::string longer(as_text(command.body.view()));
  longer.push_back('\0');
  EXPECT_EQ(
      cluster.propose_encoded({command.type, SharedBytes::copy_of(as_bytes(longer))}, {}).refusal,
      Refusal::malformed);
  EXPECT_EQ(cluster.propose_encoded({command.type, command.body.slice(0, 2)}, {}).refusal,
            Refusal::malformed);
  EXPECT_EQ(cluster.propose_encoded(command, {}).refusal, Refusal::none);
}

TEST(Fold, commands_of_unregistered_incarnations_are_refused) {
  Cluster cluster;
  Folded folded = cluster.fold(cluster.log().entry({vouches(1, 2, 9)}));
  for (const CommandOutcome& outcome : folded.outcomes)
    EXPECT_EQ(outcome.refusal, Refusal::not_registered);
}

// --- genesis ---

SharedBytes first_entry(const std::vector<CommandGroup>& groups) {
  LogBuilder log;
  return log.entry(groups);
}

command::Genesis some_genesis() {
  command::Genesis genesis;
  genesis.cluster_id = "c";
  genesis.feature_level = 1;
  genesis.shard_count = 1;
  return genesis;
}

TEST(Genesis, names_the_cluster) {
  State state;
  EXPECT_FALSE(state.position().has_value());
  Folded folded = state.apply(
      decoded(first_entry({{Incarnation(), CommandCounter(0), {encoded(some_genesis())}}})));
  EXPECT_EQ(folded.outcomes.at(0).status, CommandStatus::applied);
  EXPECT_EQ(state.cluster_id(), "c");
  EXPECT_EQ(state.level(), FeatureLevel(1));
  EXPECT_EQ(state.position(), Position(0));
}

TEST(Genesis, that_is_not_alone_or_not_right_is_refused_and_the_log_goes_on) {
  command::Genesis no_shard = some_genesis();
  no_shard.shard_count = 2;
  command::Genesis no_name = some_genesis();
  no_name.cluster_id = "";
  std::vector<std::vector<CommandGroup>> bad = {
      {},
      {{Incarnation(), CommandCounter(1), {encoded(some_genesis())}}},
      {{Incarnation(), CommandCounter(0), {encoded(some_genesis()), encoded(command::Vouch{})}}},
      {{Incarnation(), CommandCounter(0), {encoded(command::Vouch{})}}},
      {{Incarnation(), CommandCounter(0), {encoded(no_shard)}}},
      {{Incarnation(), CommandCounter(0), {encoded(no_name)}}},
  };
  for (const std::vector<CommandGroup>& groups : bad) {
    State state;
    for (const CommandOutcome& outcome : state.apply(decoded(first_entry(groups))).outcomes)
      EXPECT_EQ(outcome.refusal, Refusal::malformed);
    EXPECT_EQ(state.cluster_id(), "");
    EXPECT_EQ(state.position(), Position(0));
  }
}

TEST(Genesis, at_a_level_that_no_command_can_have_is_refused) {
  EntryView entry;
  entry.header.level = FeatureLevel(65'535);
  entry.groups = {{Incarnation(), CommandCounter(0), {encoded(some_genesis())}}};
  State state;
  EXPECT_EQ(state.apply(entry).outcomes.at(0).refusal, Refusal::malformed);
}

TEST(Genesis, comes_once) {
  Cluster cluster;
  EXPECT_EQ(cluster.propose(some_genesis()).refusal, Refusal::malformed);
  EXPECT_EQ(cluster.propose(some_genesis(), 77).refusal, Refusal::malformed);
  EXPECT_EQ(cluster.state().cluster_id(), "test-cluster");
}

// --- single values ---

TEST(Cluster_values, a_feature_level_that_a_broker_lacks_is_refused) {
  Cluster cluster;
  EXPECT_EQ(cluster.propose(command::RaiseFeatureLevel{.feature_level = 2}).refusal,
            Refusal::unsupported_level);
  EXPECT_EQ(cluster.propose(command::RaiseFeatureLevel{.feature_level = 1}).refusal,
            Refusal::guard_mismatch);
  EXPECT_EQ(cluster.state().level(), FeatureLevel(1));
}

TEST(Cluster_values, the_horizon_only_rises_and_stays_in_the_past) {
  Cluster cluster;
  cluster.add_topic("t", 1);
  EXPECT_EQ(cluster.propose(command::AdvanceHorizon{.horizon = 2}).refusal, Refusal::none);
  EXPECT_EQ(cluster.propose(command::AdvanceHorizon{.horizon = 2}).refusal,
            Refusal::guard_mismatch);
  EXPECT_EQ(cluster.propose(command::AdvanceHorizon{.horizon = 1'000}).refusal, Refusal::malformed);
  EXPECT_EQ(cluster.propose(command::AdvanceHorizon{.horizon = -1}).refusal, Refusal::malformed);
  EXPECT_EQ(cluster.state().horizon(), Position(2));
}

TEST(Cluster_values, the_newest_snapshots_are_noted) {
  Cluster cluster;
  for (std::int64_t i = 0; i < 10; ++i) {
    auto at = static_cast<std::int64_t>(cluster.state().position()->value);
    command::NoteSnapshot note{.snapshot_position = at, .snapshot_counter = i, .bytes = 5};
    EXPECT_EQ(cluster.propose(note).refusal, Refusal::none);
    EXPECT_EQ(cluster.propose(note).refusal, Refusal::guard_mismatch);
  }
  ASSERT_EQ(cluster.state().noted_snapshots().size(), 4u);
  EXPECT_EQ(cluster.state().noted_snapshots().back().counter, 9u);
  EXPECT_EQ(cluster.state().noted_snapshots().back().writer, broker_id(1));
  EXPECT_EQ(cluster.propose(command::NoteSnapshot{.snapshot_position = 1'000}).refusal,
            Refusal::malformed);
}

TEST(Cluster_values, producer_ids_are_given_out_once) {
  Cluster cluster;
  EXPECT_EQ(cluster.propose(command::AllocateProducerIds{.count = 1'000}).items.at(0).value, 0);
  EXPECT_EQ(cluster.propose(command::AllocateProducerIds{.count = 5}).items.at(0).value, 1'000);
  EXPECT_EQ(cluster.state().next_producer_id(), ProducerId(1'005));
  EXPECT_EQ(cluster.propose(command::AllocateProducerIds{.count = 0}).refusal, Refusal::malformed);
}

}  // namespace
}  // namespace weir::state
