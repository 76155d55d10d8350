#include "state/snapshot/snapshot.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>

#include "codec/crc32c.h"
#include "state/snapshot/format.h"
#include "state/testing/random_log.h"

namespace weir::state {
namespace {

using testing::Cluster;
using testing::RandomLog;

EntryView decoded(const SharedBytes& bytes) {
  Result<EntryView> entry = decode_entry(bytes);
  EXPECT_TRUE(entry.has_value());
  return *entry;
}

SharedBytes snapshot_of(State& state) {
  SnapshotWriter writer(state);
  while (!writer.step(7)) {
  }
  return writer.finish().flatten();
}

/// Everything that a reader can ask of a partition.
std::vector<SpanInfo> spans_of(const State& state, PartitionRef at) {
  std::vector<SpanInfo> spans;
  state.visit_spans(at, Offset(0), [&](const SpanInfo& span) {
    spans.push_back(span);
    return true;
  });
  return spans;
}

void expect_equal_answers(const State& a, const State& b) {
  ASSERT_EQ(a.digest(), b.digest());
  EXPECT_EQ(a.position(), b.position());
  EXPECT_EQ(a.nonce(), b.nonce());
  EXPECT_EQ(a.inline_bytes_live(), b.inline_bytes_live());
  EXPECT_EQ(a.oldest_inline(), b.oldest_inline());
  EXPECT_EQ(a.noted_snapshots(), b.noted_snapshots());
  EXPECT_EQ(a.counts().spans, b.counts().spans);
  EXPECT_EQ(a.resources_version(), b.resources_version());
  EXPECT_EQ(a.counts().producer_partitions, b.counts().producer_partitions);
  ASSERT_EQ(a.topic_count(), b.topic_count());
  a.visit_topics("", [&](const TopicInfo& topic) {
    const TopicInfo* other = b.topic(topic.name);
    EXPECT_NE(other, nullptr);
    if (other == nullptr) return false;
    EXPECT_EQ(other->id, topic.id);
    EXPECT_EQ(other->configs, topic.configs);
    for (std::int32_t p = 0; p < topic.partitions; ++p) {
      PartitionRef at{topic.id, PartitionIndex(p)};
      EXPECT_EQ(a.partition(at)->start, b.partition(at)->start);
      EXPECT_EQ(a.partition(at)->end, b.partition(at)->end);
      EXPECT_EQ(a.partition(at)->bytes, b.partition(at)->bytes);
      EXPECT_EQ(spans_of(a, at), spans_of(b, at));
    }
    return true;
  });
}

/// The property that matters: a snapshot that is taken slice by slice while folding goes on is the
/// state at its position, and a broker that starts from it is the same as all others ever after.
TEST(Snapshot, taken_while_folding_goes_on_is_the_state_at_its_position) {
  std::uint64_t seed = std::random_device{}();
  for (int round = 0; round < 12; ++round, ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    RandomLog log(seed);
    State state;
    std::uint64_t before = 1 + random() % 400;
    for (std::uint64_t i = 0; i < before; ++i) state.apply(decoded(log.next(state)));

    SnapshotWriter writer(state);
    ASSERT_EQ(writer.position(), *state.position());
    ASSERT_EQ(writer.digest(), state.digest());
    std::vector<SharedBytes> later;
    std::vector<Hash128> digests;
    auto go_on = [&] {
      later.push_back(log.next(state));
      state.apply(decoded(later.back()));
      digests.push_back(state.digest());
    };
    std::uint64_t pace = 1 + random() % 20;
    while (!writer.step(pace)) go_on();
    SharedBytes bytes = writer.finish().flatten();
    for (int i = 0; i < 30; ++i) go_on();

    Result<State> loaded = load_snapshot(bytes);
    ASSERT_TRUE(loaded.has_value()) << describe(loaded.error());
    ASSERT_EQ(loaded->digest(), writer.digest());
    ASSERT_EQ(loaded->digest_at(writer.position()), writer.digest());
    for (std::size_t i = 0; i < later.size(); ++i) {
      loaded->apply(decoded(later[i]));
      ASSERT_EQ(loaded->digest(), digests[i]) << "at " << loaded->position()->value;
    }
    expect_equal_answers(*loaded, state);
  }
}

TEST(Snapshot, a_later_one_is_complete_again) {
  RandomLog log(11);
  auto state = std::make_unique<State>();
  for (int i = 0; i < 300; ++i) state->apply(decoded(log.next(*state)));
  for (int round = 0; round < 3; ++round) {
    Result<State> loaded = load_snapshot(snapshot_of(*state));
    ASSERT_TRUE(loaded.has_value()) << describe(loaded.error());
    expect_equal_answers(*loaded, *state);
    for (int i = 0; i < 20; ++i) state->apply(decoded(log.next(*state)));
  }
}

TEST(Snapshot, of_a_loaded_state_is_equivalent) {
  RandomLog log(12);
  State state;
  for (int i = 0; i < 300; ++i) state.apply(decoded(log.next(state)));
  Result<State> first = load_snapshot(snapshot_of(state));
  ASSERT_TRUE(first.has_value());
  Result<State> second = load_snapshot(snapshot_of(*first));
  ASSERT_TRUE(second.has_value());
  expect_equal_answers(*second, state);
}

TEST(Snapshot, that_is_abandoned_leaves_no_trace) {
  Cluster cluster;
  {
    SnapshotWriter writer(cluster.state());
    writer.step(1);
  }
  cluster.add_topic("t", 3);
  ASSERT_TRUE(load_snapshot(snapshot_of(cluster.state())).has_value());
}

TEST(Snapshot, any_damaged_byte_is_noticed) {
  RandomLog log(13);
  State state;
  for (int i = 0; i < 60; ++i) state.apply(decoded(log.next(state)));
  SharedBytes good = snapshot_of(state);
  for (std::size_t at = 0; at < good.size(); ++at) {
    SharedBytes bad = SharedBytes::copy_of(good.view());
    bad.mutable_view()[at] ^= std::byte{1};
    Result<State> loaded = load_snapshot(bad);
    ASSERT_FALSE(loaded.has_value()) << at;
  }
  for (std::size_t size = 0; size < good.size(); size += 3)
    ASSERT_FALSE(load_snapshot(good.slice(0, size)).has_value()) << size;
}

/// Sets the checksum of the section at `index` and of the header right again.
void fix_checksums(MutableBytes bytes, std::size_t index, const SnapshotHeader& header) {
  const SnapshotSection& section = header.sections[index];
  std::uint32_t crc = codec::crc32c(Bytes(bytes).subspan(section.offset, section.bytes));
  std::size_t entry = 72 + header.info.cluster_id.size() + index * 24 + 20;
  std::memcpy(bytes.subspan(entry).data(), &crc, 4);
  std::size_t header_bytes = header.sections[0].offset;
  std::uint32_t header_crc = codec::crc32c(Bytes(bytes).first(header_bytes - 4));
  std::memcpy(bytes.subspan(header_bytes - 4).data(), &header_crc, 4);
}

TEST(Snapshot, with_right_checksums_and_wrong_contents_is_refused) {
  RandomLog log(14);
  State state;
  for (int i = 0; i < 200; ++i) state.apply(decoded(log.next(state)));
  SharedBytes good = snapshot_of(state);
  Result<SnapshotHeader> header = decode_snapshot_header(good.view());
  ASSERT_TRUE(header.has_value());
  std::mt19937_64 random(14);
  for (std::size_t index = 0; index < header->sections.size(); ++index) {
    const SnapshotSection& section = header->sections[index];
    for (int round = 0; round < 200 && section.bytes > 0; ++round) {
      SharedBytes bad = SharedBytes::copy_of(good.view());
      bad.mutable_view()[section.offset + random() % section.bytes] ^=
          static_cast<std::byte>(1 + random() % 255);
      fix_checksums(bad.mutable_view(), index, *header);
      Result<State> loaded = load_snapshot(bad);
      ASSERT_FALSE(loaded.has_value()) << "section " << section.kind;
      ASSERT_TRUE(loaded.error().is(ErrorCode::corrupt) || loaded.error().is(ErrorCode::too_large))
          << describe(loaded.error());
    }
  }
}

TEST(Snapshot, sections_of_unknown_kinds_are_kept_and_written_back) {
  Cluster cluster;
  SharedBytes plain = snapshot_of(cluster.state());
  Result<SnapshotHeader> header = decode_snapshot_header(plain.view());
  ASSERT_TRUE(header.has_value());
  std::string secret = "of a later program";
  std::size_t body_at = header->sections[0].offset;
  header->sections.push_back({40, 2, secret.size(), codec::crc32c(as_bytes(secret)), 0});
  BytesChain extended(encode_snapshot_header(*header));
  extended.append(plain.slice(body_at, plain.size() - body_at));
  extended.append(SharedBytes::copy_of(as_bytes(secret)));

  Result<State> loaded = load_snapshot(extended.flatten());
  ASSERT_TRUE(loaded.has_value()) << describe(loaded.error());
  SharedBytes again = snapshot_of(*loaded);
  Result<SnapshotHeader> read = decode_snapshot_header(again.view());
  ASSERT_TRUE(read.has_value());
  const SnapshotSection& kept = read->sections.back();
  EXPECT_EQ(kept.kind, 40);
  EXPECT_EQ(kept.count, 2u);
  EXPECT_EQ(as_text(again.slice(kept.offset, kept.bytes).view()), secret);
}

TEST(Snapshot, of_a_later_feature_level_is_unsupported) {
  Cluster cluster;
  SharedBytes plain = snapshot_of(cluster.state());
  Result<SnapshotHeader> header = decode_snapshot_header(plain.view());
  ASSERT_TRUE(header.has_value());
  std::size_t body_at = header->sections[0].offset;
  header->info.level = FeatureLevel(2);
  BytesChain later(encode_snapshot_header(*header));
  later.append(plain.slice(body_at, plain.size() - body_at));
  EXPECT_TRUE(load_snapshot(later.flatten()).error().is(ErrorCode::unsupported));
}

}  // namespace
}  // namespace weir::state
