#include "commitlog/file_log.h"

#include "base/narrow.h"
#include "commitlog/sim_client_for_test.h"
#include "objstore/conformance_harness.h"
#include "rt/sim/file_system.h"

namespace weir::commitlog {
namespace {

class FileLogTest : public testing::Test {
 protected:
  rt::sim::SimFileSystem& files() { return runner_.node().files(); }
  std::unique_ptr<SimClient> open(std::uint32_t entries_max = 65'536) {
    return std::make_unique<SimClient>(
        runner_.node(), FileLogOptions{.directory = "/log", .segment_entries_max = entries_max});
  }
  Result<CreateOutcome> create(SimClient& client, std::uint64_t at, std::string_view text) {
    return run_one(runner_, client.log().create(Position(at), objstore::chain_of(text)));
  }
  std::string read(SimClient& client, std::uint64_t at) {
    auto found = run_one(runner_, client.log().read(Position(at)));
    if (!found) return std::string(to_string(found.error().code));
    return found->has_value() ? std::string(as_text((*found)->view())) : "absent";
  }
  void fill(SimClient& client, std::uint64_t count) {
    for (std::uint64_t at = 0; at < count; ++at)
      ASSERT_EQ(create(client, at, "entry " + std::to_string(at)).value(), CreateOutcome::won);
  }
  std::unique_ptr<rt::File> segment(std::uint64_t first) {
    return std::move(
        files()
            .open("/log/" + segment_file_name(Position(first)), rt::OpenMode::read_write)
            .value());
  }
  void write(rt::File& file, std::uint64_t at, std::string_view bytes) {
    Bytes part = as_bytes(bytes);
    ASSERT_TRUE(file.write_at(at, std::span(&part, 1)));
  }

  void clear_mark() {
    ASSERT_TRUE((*files().open("/log/mark", rt::OpenMode::read_write))->truncate(0));
  }
  /// As a restored copy: the same bytes in another file.
  void replace(const std::string& path) {
    auto old = std::move(files().open(path, rt::OpenMode::read).value());
    std::string bytes(narrow<std::size_t>(old->size().value()), '\0');
    ASSERT_TRUE(old->read_at(0, std::as_writable_bytes(std::span(bytes))));
    ASSERT_TRUE(files().remove(path));
    write(*files().open(path, rt::OpenMode::create_new).value(), 0, bytes);
  }

  objstore::SimRunner runner_{5};
};

TEST_F(FileLogTest, ATornTailOfAnyLengthIsCutAndTheNextEntryTakesItsPlace) {
  auto first = open();
  fill(*first, 3);
  auto file = segment(0);
  std::uint64_t whole = file->size().value();
  ASSERT_EQ(create(*first, 3, "the one to be torn").value(), CreateOutcome::won);
  std::uint64_t end = file->size().value();
  std::string torn(narrow<std::size_t>(end - whole), '\0');
  ASSERT_TRUE(file->read_at(whole, std::as_writable_bytes(std::span(torn))));
  first.reset();
  for (std::size_t size = 0; size < torn.size(); ++size) {
    SCOPED_TRACE(size);
    // As a killed writer would leave it: nobody synced, so nothing is marked.
    clear_mark();
    ASSERT_TRUE(file->truncate(whole));
    write(*file, whole, std::string_view(torn).substr(0, size));
    auto client = open();
    EXPECT_EQ(read(*client, 3), "absent");
    EXPECT_EQ(read(*client, 2), "entry 2");
    EXPECT_EQ(create(*client, 3, "instead").value(), CreateOutcome::won);
    EXPECT_EQ(read(*client, 3), "instead");
  }
}

TEST_F(FileLogTest, DamageOfADurableEntryIsCorruptionAndIsNeverCut) {
  auto first = open();
  fill(*first, 5);
  first.reset();
  auto file = segment(0);
  std::uint64_t size = file->size().value();
  write(*file, size - 3, "?");
  {
    auto client = open();
    // The mark knows that it was durable.
    EXPECT_EQ(read(*client, 4), "corrupt");
    EXPECT_EQ(create(*client, 5, "x").error().code, ErrorCode::corrupt);
    EXPECT_EQ(file->size().value(), size);
  }
  // Without the mark, so does a later entry.
  clear_mark();
  write(*file, size - 3, " ");
  write(*file, 60, "?");
  auto client = open();
  auto found = run_one(runner_, client->log().read(Position(4)));
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, ErrorCode::corrupt);
  EXPECT_NE(found.error().message.find("position 1"), std::string::npos) << found.error().message;
  EXPECT_NE(found.error().message.find(segment_file_name(Position(0))), std::string::npos);
  EXPECT_EQ(file->size().value(), size);
}

TEST_F(FileLogTest, DamageUnderARunningBrokerIsNamed) {
  auto client = open();
  fill(*client, 5);
  write(*segment(0), 10, "?");
  auto found = run_one(runner_, client->log().read(Position(0)));
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, ErrorCode::corrupt);
  EXPECT_EQ(read(*client, 3), "entry 3");
}

TEST_F(FileLogTest, AMissingOrShortenedFileIsNotTakenForAShorterLog) {
  auto first = open(2);
  fill(*first, 5);
  first.reset();
  auto file = segment(4);
  ASSERT_TRUE(file->truncate(10));
  EXPECT_EQ(create(*open(2), 4, "x").error().code, ErrorCode::corrupt);
  ASSERT_TRUE(files().remove("/log/" + segment_file_name(Position(4))));
  EXPECT_EQ(create(*open(2), 4, "x").error().code, ErrorCode::corrupt);
}

TEST_F(FileLogTest, ADirectoryThatIsRemovedOrReplacedUnderUsIsNoticedBeforeAnythingIsAnswered) {
  std::string lock = "/log/lock";
  std::string tail = "/log/" + segment_file_name(Position(0));
  auto first = open();
  fill(*first, 3);
  for (const std::vector<std::string>& paths :
       {std::vector{lock, tail}, std::vector{lock}, std::vector{tail}}) {
    SCOPED_TRACE(paths.front());
    auto client = open();
    ASSERT_EQ(read(*client, 2), "entry 2");
    ASSERT_EQ(read(*client, 3), "absent");
    for (const std::string& path : paths) replace(path);
    auto outcome = create(*client, 3, "would be lost");
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().code, ErrorCode::not_found);
    EXPECT_NE(outcome.error().message.find("removed or replaced"), std::string::npos)
        << outcome.error().message;
    if (paths.back() == tail) {
      EXPECT_EQ(read(*client, 3), "not_found");
    }
    EXPECT_EQ(read(*open(), 3), "absent");
  }
  for (const std::string& path : {tail, lock}) ASSERT_TRUE(files().remove(path));
  EXPECT_EQ(create(*first, 3, "would be lost").error().code, ErrorCode::not_found);
}

TEST_F(FileLogTest, ADeletedMarkIsNoTornTail) {
  auto first = open();
  fill(*first, 3);
  first.reset();
  auto file = segment(0);
  ASSERT_TRUE(file->truncate(file->size().value() - 10));
  ASSERT_TRUE(files().remove("/log/mark"));
  NullLogger logger;
  auto opened =
      FileLogDirectory::open(files(), {.directory = "/log"}, runner_.node().random(), logger);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, ErrorCode::configuration);
  EXPECT_NE(opened.error().message.find("/log/mark"), std::string::npos) << opened.error().message;
  EXPECT_TRUE(FileLogDirectory::open(files(), {.directory = "/log", .sync = false},
                                     runner_.node().random(), logger));
}

TEST_F(FileLogTest, AMarkThatCannotBeReadIsSaid) {
  auto first = open();
  fill(*first, 3);
  first.reset();
  auto mark = files().open("/log/mark", rt::OpenMode::read_write);
  std::string rubbish(mark.value()->size().value(), 'x');
  Bytes part = as_bytes(rubbish);
  ASSERT_TRUE((*mark)->write_at(0, std::span(&part, 1)));
  struct : Logger {
    void write(LogLevel, std::string_view event, std::initializer_list<LogField>) override {
      said += event;
    }
    std::string said;
  } logger;
  EXPECT_TRUE(
      FileLogDirectory::open(files(), {.directory = "/log"}, runner_.node().random(), logger));
  EXPECT_EQ(logger.said, "file_log_mark_unreadable");
}

TEST_F(FileLogTest, AFullDiskTakesNothingAndTheLogGoesOnAfterwards) {
  auto client = open();
  fill(*client, 3);
  files().disk().set_capacity(files().disk().used() + 4'096);
  auto full = create(*client, 3, std::string(50'000, 'x'));
  ASSERT_FALSE(full);
  EXPECT_EQ(full.error().code, ErrorCode::out_of_space);
  EXPECT_EQ(read(*client, 3), "absent");
  EXPECT_EQ(create(*client, 3, "small").value(), CreateOutcome::won);
  files().disk().set_capacity(1u << 30);
  EXPECT_EQ(create(*client, 4, std::string(50'000, 'x')).value(), CreateOutcome::won);
}

TEST_F(FileLogTest, AStoppedHolderOfTheLockMakesCreatesUnavailableNotStuck) {
  auto client = open();
  fill(*client, 1);
  auto holder = files().open("/log/lock", rt::OpenMode::read_write);
  ASSERT_TRUE(*(*holder)->try_lock_exclusive());
  auto blocked = create(*client, 1, "x");
  ASSERT_FALSE(blocked);
  EXPECT_EQ(blocked.error().code, ErrorCode::unavailable);
  EXPECT_EQ(read(*client, 0), "entry 0") << "reads go on";
  EXPECT_EQ(read(*client, 1), "absent");
  holder->reset();
  EXPECT_EQ(create(*client, 1, "x").value(), CreateOutcome::won);
}

TEST_F(FileLogTest, ABrokerThatSleptWhileTheFloorPassedItIsToldSo) {
  auto sleeper = open(2);
  auto other = open(2);
  fill(*sleeper, 2);
  for (std::uint64_t at = 2; at < 11; ++at) ASSERT_TRUE(create(*other, at, "x"));
  ASSERT_TRUE(run_one(runner_, other->log().raise_floor(Position(9))));
  ASSERT_TRUE(run_one(runner_, other->log().remove(Position(0), Position(8))));
  EXPECT_EQ(read(*sleeper, 2), "precondition");
  EXPECT_EQ(create(*sleeper, 2, "stray").error().code, ErrorCode::precondition);
  EXPECT_EQ(read(*sleeper, 9), "x");
  EXPECT_EQ(create(*sleeper, 11, "y").value(), CreateOutcome::won);
}

TEST_F(FileLogTest, RemovalDropsWholeFiles) {
  auto client = open(4);
  fill(*client, 18);
  ASSERT_TRUE(run_one(runner_, client->log().raise_floor(Position(11))));
  ASSERT_TRUE(run_one(runner_, client->log().remove(Position(0), Position(10))));
  std::size_t segments = 0;
  for (const auto& item : *files().list("/log"))
    segments += position_of_segment_file(item.name) ? 1 : 0;
  EXPECT_EQ(segments, 3u);  // from 8, 12 and 16
  auto fresh = open(4);
  EXPECT_EQ(read(*fresh, 11), "entry 11");
  EXPECT_EQ(read(*fresh, 3), "precondition");
}

TEST_F(FileLogTest, ReplaysManySegmentsWithFewOfThemInMemory) {
  auto writer = open(2);
  fill(*writer, 61);
  auto client = open(2);
  auto all = run_one(runner_, client->log().read_many(Position(0), 1'000, 1u << 20));
  ASSERT_TRUE(all) << describe(all.error());
  ASSERT_EQ(all->size(), 61u);
  for (std::size_t i = 0; i < all->size(); ++i)
    EXPECT_EQ(as_text((*all)[i].view()), "entry " + std::to_string(i));
  EXPECT_EQ(read(*client, 0), "entry 0");
}

}  // namespace
}  // namespace weir::commitlog
