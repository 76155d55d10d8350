#include "commitlog/file_log_reader.h"

#include "base/narrow.h"
#include "commitlog/sim_client_for_test.h"
#include "objstore/conformance_harness.h"
#include "rt/sim/file_system.h"

namespace weir::commitlog {
namespace {

class FileLogReaderTest : public testing::Test {
 protected:
  rt::sim::SimFileSystem& files() { return runner_.node().files(); }
  SimClient& writer() {
    if (!writer_)
      writer_ = std::make_unique<SimClient>(
          runner_.node(), FileLogOptions{.directory = "/log", .segment_entries_max = 4});
    return *writer_;
  }
  FileLogReader& reader() {
    if (!reader_)
      reader_ = std::make_unique<FileLogReader>(
          FileLogReader::Parts{runner_.loop(), runner_.node().workers(), files()}, "/log");
    return *reader_;
  }
  void append(std::uint64_t from, std::uint64_t count) {
    for (std::uint64_t at = from; at < from + count; ++at)
      ASSERT_EQ(run_one(runner_, writer().log().create(
                                     Position(at), objstore::chain_of("e" + std::to_string(at))))
                    .value(),
                CreateOutcome::won);
  }
  std::string read(std::uint64_t at) {
    auto found = run_one(runner_, reader().read(Position(at)));
    if (!found) return std::string(to_string(found.error().code));
    return found->has_value() ? std::string(as_text((*found)->view())) : "absent";
  }
  std::unique_ptr<rt::File> segment(std::uint64_t first) {
    return std::move(
        files()
            .open("/log/" + segment_file_name(Position(first)), rt::OpenMode::read_write)
            .value());
  }
  void flip(rt::File& file, std::uint64_t at) {
    std::byte byte{};
    ASSERT_TRUE(file.read_at(at, std::span(&byte, 1)));
    byte ^= std::byte{1};
    Bytes part(&byte, 1);
    ASSERT_TRUE(file.write_at(at, std::span(&part, 1)));
  }
  std::size_t size_of_directory() { return files().list("/log")->size(); }

  objstore::SimRunner runner_{5};
  std::unique_ptr<SimClient> writer_;
  std::unique_ptr<FileLogReader> reader_;
};

TEST_F(FileLogReaderTest, ReadsWhatABrokerWroteAcrossSegmentsAndFollowsIt) {
  append(0, 10);
  for (std::uint64_t at = 0; at < 10; ++at) EXPECT_EQ(read(at), "e" + std::to_string(at));
  EXPECT_EQ(read(10), "absent");
  append(10, 5);
  EXPECT_EQ(read(10), "e10");
  EXPECT_EQ(read(14), "e14");
  EXPECT_EQ(read(3), "e3");
  auto many = run_one(runner_, reader().read_many(Position(2), 100, 1'000'000));
  ASSERT_TRUE(many);
  EXPECT_EQ(many->size(), 13u);
  many = run_one(runner_, reader().read_many(Position(2), 100, 5));
  ASSERT_TRUE(many);
  EXPECT_EQ(many->size(), 2u) << "at most so many bytes";
}

TEST_F(FileLogReaderTest, WritesNothing) {
  append(0, 5);
  std::size_t before = size_of_directory();
  EXPECT_EQ(read(4), "e4");
  EXPECT_TRUE(run_one(runner_, reader().create(Position(5), objstore::chain_of("x")))
                  .error()
                  .is(ErrorCode::configuration));
  EXPECT_FALSE(run_one(runner_, reader().raise_floor(Position(3))));
  EXPECT_FALSE(run_one(runner_, reader().remove(Position(0), Position(1))));
  EXPECT_EQ(size_of_directory(), before);
  EXPECT_EQ(read(5), "absent");
}

TEST_F(FileLogReaderTest, ATornEndIsAbsentAndADurableOneIsDamaged) {
  append(0, 3);
  auto file = segment(0);
  std::uint64_t size = file->size().value();
  flip(*file, size - 1);
  EXPECT_EQ(read(1), "e1");
  EXPECT_EQ(read(2), "corrupt") << "the mark says that it was durable";
  ASSERT_TRUE((*files().open("/log/mark", rt::OpenMode::read_write))->truncate(0));
  EXPECT_EQ(read(2), "absent");
}

TEST_F(FileLogReaderTest, DamageBeforeTheLastSegmentIsCorrupt) {
  append(0, 10);
  auto file = segment(4);
  flip(*file, kFrameHeaderBytes + 1);
  EXPECT_EQ(read(3), "e3");
  EXPECT_EQ(read(4), "corrupt");
  EXPECT_EQ(read(8), "e8");
}

TEST_F(FileLogReaderTest, KnowsTheFloorAndWhatIsMissingAboveIt) {
  append(0, 10);
  ASSERT_TRUE(run_one(runner_, writer().log().raise_floor(Position(5))));
  ASSERT_TRUE(run_one(runner_, writer().log().remove(Position(0), Position(4))));
  EXPECT_EQ(run_one(runner_, reader().read_floor()).value(), Position(5));
  EXPECT_EQ(read(2), "precondition");
  EXPECT_EQ(read(5), "e5");
  ASSERT_TRUE(files().remove("/log/" + segment_file_name(Position(4))));
  reader_.reset();
  EXPECT_EQ(read(6), "corrupt");
  EXPECT_EQ(read(8), "e8");
}

}  // namespace
}  // namespace weir::commitlog
