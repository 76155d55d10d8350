// What the simulated disk keeps and forgets, and where processes stop.
#include "rt/sim/disk.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "rt/scope.h"
#include "rt/sim/file_system.h"
#include "rt/sim/node.h"
#include "rt/sim/world.h"

namespace weir::rt::sim {
namespace {

Result<void> put(File& file, std::uint64_t offset, std::string_view text) {
  Bytes part = as_bytes(text);
  return file.write_at(offset, std::span(&part, 1));
}

/// Empty if absent.
std::string content(FileSystem& files, const std::string& path) {
  auto file = files.open(path, OpenMode::read);
  if (!file) return "";
  std::string text((*file)->size().value_or(0), '\0');
  EXPECT_EQ((*file)->read_at(0, std::as_writable_bytes(std::span(text))).value_or(0), text.size());
  return text;
}

struct Machine {
  explicit Machine(std::uint64_t seed) : world(seed) { restart(); }
  void restart() { node = &world.start_node({.host = "m"}); }
  void lose_power() {
    world.lose_power("m");
    restart();
  }
  SimFileSystem& files() { return node->files(); }
  SimWorld world;
  SimNode* node = nullptr;
};

TEST(SimDisk, KillLosesNothingThatWasWritten) {
  Machine machine(1);
  ASSERT_TRUE(machine.files().make_directories("/d").has_value());
  auto file = machine.files().open("/d/f", OpenMode::create_new);
  ASSERT_TRUE(put(**file, 0, "unsynced").has_value());
  machine.node->kill();
  machine.restart();
  EXPECT_EQ(content(machine.files(), "/d/f"), "unsynced");
}

TEST(SimDisk, PowerLossKeepsWhatWasSynced) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    Machine machine(seed);
    ASSERT_TRUE(machine.files().make_directories("/d").has_value());
    auto file = machine.files().open("/d/f", OpenMode::create_new);
    ASSERT_TRUE(put(**file, 0, "synced").has_value());
    ASSERT_TRUE((*file)->sync().has_value());
    ASSERT_TRUE(machine.files().sync_directory("/d").has_value());
    machine.lose_power();
    EXPECT_EQ(content(machine.files(), "/d/f"), "synced") << "seed " << seed;
  }
}

/// What can be found after a power loss, over many seeds.
template <class Prepare>
std::set<std::string> found_after_power_loss(Prepare prepare) {
  std::set<std::string> found;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Machine machine(seed);
    EXPECT_TRUE(machine.files().make_directories("/d").has_value());
    EXPECT_TRUE(machine.files().sync_directory("/d").has_value());
    prepare(machine.files());
    machine.lose_power();
    found.insert(content(machine.files(), "/d/f"));
  }
  return found;
}

TEST(SimDisk, PowerLossTearsUnsyncedBytes) {
  std::string a(1024, 'a');
  std::string b(1024, 'b');
  auto found = found_after_power_loss([&](SimFileSystem& files) {
    auto file = files.open("/d/f", OpenMode::create_new);
    EXPECT_TRUE(put(**file, 0, a).has_value());
    EXPECT_TRUE((*file)->sync().has_value());
    EXPECT_TRUE(files.sync_directory("/d").has_value());
    EXPECT_TRUE(put(**file, 0, b).has_value());
  });
  std::string half = std::string(512, 'a') + std::string(512, 'b');
  std::string other = std::string(512, 'b') + std::string(512, 'a');
  EXPECT_EQ(found, (std::set<std::string>{a, b, half, other}));
}

TEST(SimDisk, PowerLossMayKeepASizeWithoutItsBytes) {
  auto found = found_after_power_loss([&](SimFileSystem& files) {
    auto file = files.open("/d/f", OpenMode::create_new);
    EXPECT_TRUE((*file)->sync().has_value());
    EXPECT_TRUE(files.sync_directory("/d").has_value());
    EXPECT_TRUE(put(**file, 0, "abc").has_value());
  });
  EXPECT_TRUE(found.contains(""));
  EXPECT_TRUE(found.contains("abc"));
  EXPECT_TRUE(found.contains(std::string(3, '\0')));
  EXPECT_TRUE(found.contains("ab"));
}

TEST(SimDisk, UnsyncedNamesMayBeLostAndRenameIsAtomic) {
  auto found = found_after_power_loss([&](SimFileSystem& files) {
    for (const char* text : {"old", "new"}) {
      auto file = files.open("/d/tmp", OpenMode::create_new);
      EXPECT_TRUE(put(**file, 0, text).has_value());
      EXPECT_TRUE((*file)->sync().has_value());
      EXPECT_TRUE(files.rename("/d/tmp", "/d/f").has_value());
      if (std::string_view(text) == "old") EXPECT_TRUE(files.sync_directory("/d").has_value());
    }
  });
  EXPECT_EQ(found, (std::set<std::string>{"old", "new"}));
  found = found_after_power_loss([&](SimFileSystem& files) {
    auto file = files.open("/d/f", OpenMode::create_new);
    EXPECT_TRUE(put(**file, 0, "x").has_value());
    EXPECT_TRUE((*file)->sync().has_value());
  });
  EXPECT_EQ(found, (std::set<std::string>{"", "x"}));
}

TEST(SimDisk, SyncingOneDirectoryDoesNotSyncAnother) {
  std::set<bool> kept;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Machine machine(seed);
    for (const char* path : {"/a", "/b"}) {
      ASSERT_TRUE(machine.files().make_directories(path).has_value());
      ASSERT_TRUE(machine.files().sync_directory(path).has_value());
    }
    ASSERT_TRUE(machine.files().open("/a/f", OpenMode::create_new).has_value());
    ASSERT_TRUE(machine.files().open("/b/f", OpenMode::create_new).has_value());
    ASSERT_TRUE(machine.files().sync_directory("/b").has_value());
    machine.lose_power();
    EXPECT_TRUE(machine.files().open("/b/f", OpenMode::read).has_value());
    kept.insert(machine.files().open("/a/f", OpenMode::read).has_value());
  }
  EXPECT_EQ(kept.size(), 2u);
}

TEST(SimDisk, FailedSyncMayLoseBytesThatALaterSyncSeemsToSave) {
  std::set<std::string> found;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    Machine machine(seed);
    auto file = machine.files().open("/f", OpenMode::create_new);
    ASSERT_TRUE((*file)->sync().has_value());
    ASSERT_TRUE(machine.files().sync_directory("/").has_value());
    ASSERT_TRUE(put(**file, 0, "abc").has_value());
    machine.files().disk().fail_next(1);
    auto failed = (*file)->sync();
    ASSERT_TRUE(!failed && failed.error().is(ErrorCode::unavailable));
    ASSERT_TRUE((*file)->sync().has_value());
    machine.lose_power();
    found.insert(content(machine.files(), "/f"));
  }
  EXPECT_EQ(found, (std::set<std::string>{"abc", std::string(3, '\0')}));
}

TEST(SimDisk, FullDiskTakesAPrefixAndFreesWhatIsRemoved) {
  Machine machine(1);
  machine.files().disk().set_capacity(10 * 4096);
  auto a = machine.files().open("/a", OpenMode::create_new);
  ASSERT_TRUE(put(**a, 0, std::string(8 * 4096, 'a')).has_value());
  auto b = machine.files().open("/b", OpenMode::create_new);
  auto full = put(**b, 0, std::string(3 * 4096, 'b'));
  ASSERT_TRUE(!full && full.error().is(ErrorCode::out_of_space));
  EXPECT_LE((*b)->size().value_or(0), 2u * 4096);
  // What is there may be written again.
  EXPECT_TRUE(put(**a, 0, std::string(8 * 4096, 'c')).has_value());
  ASSERT_TRUE(machine.files().remove("/a").has_value());
  EXPECT_TRUE(put(**b, 0, std::string(3 * 4096, 'b')).has_value());
}

TEST(SimFileSystem, StopsAfterTheGivenNumberOfCalls) {
  // create, write, sync, rename: every prefix of it is a state that a crash can leave.
  auto publish = [](SimFileSystem& files) -> Result<void> {
    auto file = files.open("/tmp", OpenMode::create_or_open);
    if (!file) return std::unexpected(file.error());
    WEIR_TRY(put(**file, 0, "data"));
    WEIR_TRY((*file)->sync());
    return files.rename("/tmp", "/final");
  };
  for (std::uint64_t calls = 0; calls <= 4; ++calls) {
    Machine machine(1);
    machine.files().stop_after(calls);
    auto published = publish(machine.files());
    EXPECT_EQ(machine.files().calls(), calls);
    EXPECT_EQ(published.has_value(), calls == 4);
    if (!published) EXPECT_TRUE(published.error().is(ErrorCode::cancelled));
    auto later = machine.files().list("/");
    EXPECT_TRUE(!later && later.error().is(ErrorCode::cancelled));
    machine.node->kill();
    machine.restart();
    EXPECT_EQ(content(machine.files(), "/tmp"), calls == 2 || calls == 3 ? "data" : "");
    EXPECT_EQ(content(machine.files(), "/final"), calls == 4 ? "data" : "");
  }
}

TEST(SimFileSystem, KillFreesLocks) {
  SimWorld world(1);
  SimNode& a = world.start_node({.host = "a", .machine = "m"});
  SimNode& b = world.start_node({.host = "b", .machine = "m"});
  auto of_a = a.files().open("/lock", OpenMode::create_or_open);
  auto of_b = b.files().open("/lock", OpenMode::create_or_open);
  EXPECT_TRUE((*of_a)->try_lock_exclusive().value_or(false));
  EXPECT_FALSE((*of_b)->try_lock_exclusive().value_or(true));
  a.kill();
  EXPECT_TRUE((*of_b)->try_lock_exclusive().value_or(false));
  auto dead = (*of_a)->size();
  EXPECT_TRUE(!dead && dead.error().is(ErrorCode::cancelled));
}

/// Reads a number and writes it back plus one, without a lock.
Result<void> add_one(FileSystem& files, bool locked) {
  auto file = files.open("/n", OpenMode::create_or_open);
  if (!file) return std::unexpected(file.error());
  if (locked) WEIR_TRY((*file)->lock_exclusive());
  char count = 0;
  WEIR_TRY((*file)->read_at(0, std::as_writable_bytes(std::span(&count, 1))));
  ++count;
  return put(**file, 0, {&count, 1});
}

Task<void> add_many(SimNode& node, bool locked) {
  for (int i = 0; i < 20; ++i) {
    auto added = co_await run_blocking(node.loop(), node.workers(),
                                       [&] { return add_one(node.files(), locked); });
    EXPECT_TRUE(added.has_value());
  }
}

int count_after_two_processes(std::uint64_t seed, bool locked) {
  SimWorld world(seed);
  for (const char* host : {"a", "b"}) {
    SimNode& node = world.start_node({.host = host, .machine = "m"});
    node.spawn(add_many(node, locked));
  }
  world.run_for(1min);
  std::string text = content(world.node("a")->files(), "/n");
  return text.empty() ? 0 : text[0];
}

TEST(SimJobs, JobsOfProcessesInterleaveBetweenFileCalls) {
  EXPECT_EQ(count_after_two_processes(1, true), 40);
  // The canary: without the lock, additions are lost.
  EXPECT_LT(count_after_two_processes(1, false), 40);
  EXPECT_EQ(count_after_two_processes(2, false), count_after_two_processes(2, false));
}

Task<void> note_job(SimNode& node, bool& returned, std::optional<Error>& error) {
  (void)co_await run_blocking(node.loop(), node.workers(), [&]() -> Result<void> {
    for (;;) {
      auto listed = node.files().list("/");
      if (listed) continue;
      error = listed.error();
      return std::unexpected(listed.error());
    }
  });
  returned = true;
}

TEST(SimJobs, JobOfAKilledProcessEndsAndItsTaskDoesNot) {
  for (bool inside : {false, true}) {
    SimWorld world(1);
    SimNode& node = world.start_node({.host = "a"});
    bool returned = false;
    std::optional<Error> error;
    node.spawn(note_job(node, returned, error));
    if (inside) node.files().kill_after(3);
    world.run_for(10ms);
    if (!inside) node.kill();
    EXPECT_FALSE(node.alive());
    ASSERT_TRUE(error.has_value());
    EXPECT_TRUE(error->is(ErrorCode::cancelled));
    world.run_for(10ms);
    EXPECT_FALSE(returned);
  }
}

}  // namespace
}  // namespace weir::rt::sim
