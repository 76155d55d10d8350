// Formats and fold against bytes that were committed when their feature level was new.
//
// A log, its digest at every position, and one sample per format. What an older program wrote must
// be read and folded the same for ever, so a difference here is a bug or a new feature level, never
// a reason to write the files again (tests/golden-logs/README.md).
// Formats: docs/formats/entry.md, docs/formats/commands.md, docs/formats/snapshot.md.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>

#include "state/snapshot/format.h"
#include "state/snapshot/snapshot.h"
#include "state/testing/command_samples.h"
#include "state/testing/random_log.h"

namespace weir::state {
namespace {

using testing::CommandSample;
using testing::RandomLog;

const std::string kDirectory = WEIR_GOLDEN_LOGS "/level-1/";

bool writing() { return std::getenv("WEIR_WRITE_GOLDEN_LOGS") != nullptr; }
bool exists(const std::string& name) { return std::ifstream(kDirectory + name).good(); }

std::string read_file(const std::string& name) {
  std::ifstream file(kDirectory + name, std::ios::binary);
  EXPECT_TRUE(file.good()) << kDirectory + name;
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void write_file(const std::string& name, std::string_view content) {
  std::ofstream file(kDirectory + name, std::ios::binary);
  file.write(content.data(), static_cast<std::streamsize>(content.size()));
  ASSERT_TRUE(file.good()) << kDirectory + name;
}

/// Compares with the file of this name; or writes it.
void expect_golden(const std::string& name, std::string_view content) {
  if (writing()) return write_file(name, content);
  EXPECT_EQ(to_hex(as_bytes(read_file(name))), to_hex(as_bytes(content))) << name;
}

std::string digest_line(const State& state) {
  std::ostringstream line;
  line << state.position()->value << ' ' << std::hex << state.digest().high << ' '
       << state.digest().low << '\n';
  return line.str();
}

// --- the log: entries with their length as 4 bytes before each ---

void append_entry(std::string& log, Bytes entry) {
  auto size = static_cast<std::uint32_t>(entry.size());
  for (int i = 0; i < 4; ++i) log.push_back(static_cast<char>(size >> (8 * i)));
  log += as_text(entry);
}

std::vector<SharedBytes> entries_of(std::string_view log) {
  std::vector<SharedBytes> entries;
  for (std::size_t at = 0; at + 4 <= log.size();) {
    std::uint32_t size = 0;
    for (std::size_t i = 0; i < 4; ++i)
      size |= std::uint32_t{static_cast<unsigned char>(log[at + i])} << (8 * i);
    entries.push_back(SharedBytes::copy_of(as_bytes(log.substr(at + 4, size))));
    at += 4 + size;
  }
  return entries;
}

/// Each log was recorded when its commands were new; it keeps its digests for ever.
struct GoldenLog {
  std::string name;
  std::uint64_t seed = 0;
  /// The types of commands that are applied in it.
  std::uint16_t first = 0;
  std::uint16_t last = 0;
};
const std::vector<GoldenLog> kLogs = {
    {"", 20'260'101, 1, 17},
    {"-maintenance", 20'260'102, 40, 42},
};

void record_log(const GoldenLog& golden) {
  RandomLog random(golden.seed);
  State state;
  std::string log;
  for (int i = 0; i < 400; ++i) {
    SharedBytes entry = random.next(state);
    Result<EntryView> view = decode_entry(entry);
    ASSERT_TRUE(view.has_value());
    // The inline bytes say nothing to the fold.
    Bytes kept = entry.view().first(view->inline_bytes == 0 ? entry.size() : view->inline_offset);
    append_entry(log, kept);
    state.apply(*view);
  }
  write_file("log" + golden.name + ".bin", log);
}

/// A recorded log is never recorded again.
bool writing_log(const GoldenLog& golden) {
  return writing() && !exists("digests" + golden.name + ".txt");
}

void replay(const GoldenLog& golden) {
  if (writing_log(golden)) record_log(golden);
  State state;
  std::string digests;
  std::map<std::pair<std::uint16_t, CommandStatus>, int> seen;
  for (const SharedBytes& bytes : entries_of(read_file("log" + golden.name + ".bin"))) {
    Result<EntryView> entry = decode_entry(bytes);
    ASSERT_TRUE(entry.has_value()) << describe(entry.error());
    Folded folded = state.apply(*entry);
    digests += digest_line(state);
    std::size_t next = 0;
    for (const CommandGroup& group : entry->groups) {
      for (const EncodedCommand& command : group.commands)
        ++seen[{command.type, folded.outcomes.at(next++).status}];
    }
  }
  std::string digests_name = "digests" + golden.name + ".txt";
  if (writing_log(golden)) write_file(digests_name, digests);
  EXPECT_EQ(digests, read_file(digests_name));
  // The log is worth its bytes: each command was applied in it.
  for (const CommandSample& sample : testing::command_samples()) {
    std::uint16_t type = sample.command.type;
    if (sample.name == "RaiseFeatureLevel") continue;  // there is no higher level yet
    if (type < golden.first || type > golden.last) continue;
    EXPECT_GT((seen[{type, CommandStatus::applied}]), 0) << sample.name;
  }
}

TEST(GoldenLog, of_level_1_folds_to_the_recorded_digest_at_every_position) {
  for (const GoldenLog& golden : kLogs) replay(golden);
}

TEST(GoldenLog, without_some_commands_gives_other_digests) {
  std::vector<SharedBytes> entries = entries_of(read_file("log.bin"));
  State state;
  for (std::size_t i = 0; i < 20; ++i) {
    Result<EntryView> entry = decode_entry(entries.at(i));
    ASSERT_TRUE(entry.has_value());
    if (i > 0 && i < 10) entry->groups.clear();
    state.apply(*entry);
  }
  EXPECT_EQ(read_file("digests.txt").find(digest_line(state)), std::string::npos);
}

// --- formats ---

TEST(GoldenFormat, of_commands) {
  std::string lines;
  for (const CommandSample& sample : testing::command_samples()) {
    lines += std::to_string(sample.command.type) + ' ' + sample.name + ' ' +
             to_hex(sample.command.body.view()) + '\n';
  }
  if (writing()) write_file("commands.txt", lines);
  EXPECT_EQ(lines, read_file("commands.txt"));
}

TEST(GoldenFormat, of_entries) {
  EntryHeader header;
  header.cluster_tag = cluster_tag_of("golden");
  header.position = Position(0x0102030405060708);
  header.previous = testing::id_of<Nonce>(1);
  header.nonce = testing::id_of<Nonce>(2);
  header.writer = testing::id_of<Incarnation>(3);
  header.wall = WallMillis(1'700'000'000'000);
  header.level = FeatureLevel(1);
  std::vector<CommandGroup> groups(1);
  groups[0].incarnation = testing::id_of<Incarnation>(3);
  groups[0].first = CommandCounter(300);
  groups[0].commands.push_back({5, SharedBytes::copy_of(as_bytes("body"))});
  BytesChain inlined(SharedBytes::copy_of(as_bytes("inline data")));
  SharedBytes entry = encode_entry(header, groups, inlined).flatten();
  expect_golden("entry.bin", as_text(entry.view()));
}

/// Compression may give other bytes with another library; what was written must be readable.
TEST(GoldenFormat, of_compressed_entries_is_readable) {
  std::vector<CommandGroup> groups(1);
  groups[0].commands.push_back({5, SharedBytes::copy_of(as_bytes(std::string(2'000, 'z')))});
  if (writing()) {
    SharedBytes entry = encode_entry(EntryHeader(), groups, {}).flatten();
    write_file("entry-zstd.bin", as_text(entry.view()));
  }
  Result<EntryView> entry =
      decode_entry(SharedBytes::copy_of(as_bytes(read_file("entry-zstd.bin"))));
  ASSERT_TRUE(entry.has_value());
  ASSERT_EQ(entry->groups.size(), 1u);
  EXPECT_EQ(as_text(entry->groups[0].commands.at(0).body.view()), std::string(2'000, 'z'));
}

TEST(GoldenFormat, of_snapshots) {
  State state;
  std::vector<SharedBytes> entries = entries_of(read_file("log.bin"));
  for (std::size_t i = 0; i < 60; ++i) state.apply(*decode_entry(entries.at(i)));
  SnapshotWriter writer(state);
  while (!writer.step(100)) {
  }
  SharedBytes fresh = writer.finish().flatten();
  if (writing()) write_file("snapshot.bin", as_text(fresh.view()));
  SharedBytes golden = SharedBytes::copy_of(as_bytes(read_file("snapshot.bin")));
  Result<State> loaded = load_snapshot(golden);
  ASSERT_TRUE(loaded.has_value()) << describe(loaded.error());
  EXPECT_EQ(loaded->digest(), state.digest());
  // Units may stand in another order, but they are as many and as long.
  Result<SnapshotHeader> old_header = decode_snapshot_header(golden.view());
  Result<SnapshotHeader> new_header = decode_snapshot_header(fresh.view());
  ASSERT_TRUE(old_header.has_value());
  ASSERT_TRUE(new_header.has_value());
  ASSERT_EQ(old_header->sections.size(), new_header->sections.size());
  for (std::size_t i = 0; i < old_header->sections.size(); ++i) {
    EXPECT_EQ(old_header->sections[i].kind, new_header->sections[i].kind);
    EXPECT_EQ(old_header->sections[i].count, new_header->sections[i].count);
    EXPECT_EQ(old_header->sections[i].bytes, new_header->sections[i].bytes);
  }
}

}  // namespace
}  // namespace weir::state
